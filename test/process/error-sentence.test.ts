import { expect, test } from "vitest";
import { errorSentence } from "../../src/adapters/process/execution-end.ts";

const gemini = JSON.stringify({
  error: { message: JSON.stringify({ error: { code: 404, message: "no such model" } }) },
});

test.each([
  ["plain text", "connection reset", "connection reset"],
  ["an object alone", '{"error":{"message":"Overloaded"}}', "Overloaded"],
  [
    "text before an object",
    'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
    "API Error: 500: Internal server error",
  ],
  ["an error nested as text", gemini, "no such model"],
  ["a list of errors", '[{"error":{"message":"Quota exceeded"}}]', "Quota exceeded"],
  ["text after an object", 'failed: {"message":"nope"} (request 7)', "failed: nope (request 7)"],
  ["an error of type text", '{"error":"denied"}', "denied"],
  ["braces that are not JSON", "it said {nothing}", "it said {nothing}"],
  ["JSON without a message", 'it sent {"a":1}', 'it sent {"a":1}'],
])("converts an error to a sentence: %s", (_, raw, sentence) => {
  expect(errorSentence(raw)).toBe(sentence);
});
