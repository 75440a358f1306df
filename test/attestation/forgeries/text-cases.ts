import type { LineCode } from "../../../src/core/attestation/verification-codes.ts";

/** A change of the payload as text, and the code of the line. */
export type TextCase = {
  readonly name: string;
  readonly code: LineCode;
  readonly write: (payload: string) => string;
};

const invalid = (name: string, write: TextCase["write"]): TextCase => ({ name, code: "STATEMENT_INVALID", write });
const replaced =
  (from: string, to: string): TextCase["write"] =>
  (payload) => {
    if (!payload.includes(from)) throw new Error(`the payload has no ${from}`);
    return payload.replace(from, () => to);
  };
const USAGE = '"usd":null},"journal"';

/** Texts that some readers take for the true statement. */
export const TEXT_CASES: readonly TextCase[] = [
  invalid("a space", replaced(":", ": ")),
  invalid("a line break at the end", (payload) => `${payload}\n`),
  invalid("a byte order mark", (payload) => `\uFEFF${payload}`),
  invalid("two values", (payload) => `${payload}${payload}`),
  invalid("a cut text", (payload) => payload.slice(0, -1)),
  invalid("no text", () => ""),
  invalid("a list", (payload) => `[${payload}]`),
  invalid("a repeated key", replaced('"finish":"keep"', '"finish":"discard","finish":"keep"')),
  invalid("an escape of a plain letter", replaced('"keep"', '"\\u006beep"')),
  invalid("an escaped slash", replaced("/v1", "\\/v1")),
  invalid("a comment", replaced('"finish"', '/**/"finish"')),
  invalid("single quotes", replaced('"keep"', "'keep'")),
  invalid("NaN as cost", replaced(USAGE, '"usd":NaN},"journal"')),
  invalid("an infinite cost", replaced(USAGE, '"usd":Infinity},"journal"')),
  invalid("a cost beyond all numbers", replaced(USAGE, '"usd":1e999},"journal"')),
  invalid("a cost with more digits than a number has", replaced(USAGE, '"usd":12345678901234567890},"journal"')),
  invalid("a cost in another form", replaced(USAGE, '"usd":1.0},"journal"')),
  invalid("a negative zero as cost", replaced(USAGE, '"usd":-0},"journal"')),
  invalid("a small cost in the form of another language", replaced(USAGE, '"usd":5e-07},"journal"')),
  invalid("a number beyond 2^53", replaced('"seq":48', '"seq":9007199254740993')),
  invalid("lists in lists", replaced(USAGE, `"usd":${"[".repeat(500)}${"]".repeat(500)}},"journal"`)),
  { name: "a field called __proto__", code: "NEWER_VERSION", write: replaced('"finish"', '"__proto__":{},"finish"') },
  { name: "a field called constructor", code: "NEWER_VERSION", write: replaced('"run"', '"constructor":1,"run"') },
  invalid("an id with a digit of another script", replaced('"seq":48', '"seq":４８')),
  invalid("a name with 201 characters", replaced('"name":"Ada"', `"name":"${"😀".repeat(200)}x"`)),
];

/** Texts in an unusual form that is the canonical one. */
export const HONEST_TEXTS: readonly Omit<TextCase, "code">[] = [
  { name: "a small cost", write: replaced(USAGE, '"usd":5e-7},"journal"') },
  { name: "a large cost", write: replaced(USAGE, '"usd":1.5e+25},"journal"') },
  { name: "a cost with a fraction", write: replaced(USAGE, '"usd":0.000123},"journal"') },
  { name: "a name with half a character", write: replaced('"name":"Ada"', '"name":"\\ud800"') },
  { name: "a name with control characters", write: replaced('"name":"Ada"', '"name":"\\u0007\\n\u007f\u2028"') },
  { name: "a name with 200 characters in 400 units", write: replaced('"name":"Ada"', `"name":"${"😀".repeat(200)}"`) },
  {
    name: "a gate that an account brought",
    write: replaced('"suspicious":false', '"suspicious":false,"broughtBy":"x"'),
  },
  { name: "checks that a worker reported", write: replaced('"reviews":[]', '"reportedBy":["x"],"reviews":[]') },
  {
    name: "checks that a second worker repeated",
    write: replaced('"reviews":[]', '"reportedBy":["x"],"checkedBy":["x","y"],"reviews":[]'),
  },
];
