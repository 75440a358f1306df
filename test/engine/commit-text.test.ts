import { expect, test } from "vitest";
import { commitText } from "../../src/engine/steps/proposal.ts";

test("shows control characters of the title and the summary, and keeps lines", () => {
  const text = commitText("Plan: a\u0000b\nc", "one\u001b[31m\n\ntwo\u0000");
  expect(text).toBe("Plan: a␀b c\n\none␛[31m\n\ntwo␀");
});

test("has no empty body", () => {
  expect(commitText("Plan: x", "")).toBe("Plan: x");
});
