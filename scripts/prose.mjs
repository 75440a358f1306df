// Measures the language of docs, comments, messages and test names against scripts/prose-rules.json.
// Usage: node scripts/prose.mjs [--list] [--limits] [path ...]   With --limits, fails if a limit is exceeded.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PLACES =
  "README.md CONTRIBUTING.md AGENTS.md REVIEW.md docs agents templates plugin src web/src team/src scripts bench test";
const SKIPPED = new Set(["dist", "fixtures", "generated", "journals", "node_modules", "traceability.md"]);
const CODE = new Set([".js", ".mjs", ".ts", ".tsx"]);
const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?<![:"'`\w])\/\/ ?(.*)$/gmu;
const QUOTED = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/gu;
const TEST_NAME = /\b(?:describe|it|test)(?:\.\w+)*(?:\([^()]*\))?\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gu;
const MIN_WORDS = 500; // below that, rates say nothing

const root = fileURLToPath(new URL("..", import.meta.url));
const rules = JSON.parse(readFileSync(join(root, "scripts/prose-rules.json"), "utf8"));
const marks = rules.marks.map(({ name, pattern }) => ({ name, pattern: new RegExp(pattern, "giu") }));
const openings = new Set(rules.openings);

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !SKIPPED.has(name));
  return names.flatMap((name) => filesBelow(join(path, name)));
}

/** Returns the text of a file by kind: `{ kind, text }`. */
function* textsIn(path, content) {
  if (extname(path) === ".md") {
    const plain = content.replace(/```[\s\S]*?```/gu, "").replace(/`[^`\n]*`/gu, "X");
    for (const block of plain.split(/\n(?=\s*\n|[-*|#]|\d+\. )/u)) yield { kind: "docs", text: withoutMarkup(block) };
  } else if (path.endsWith(".test.ts")) {
    for (const [, , text] of content.matchAll(TEST_NAME)) yield { kind: "tests", text: withoutValues(text) };
  } else if (CODE.has(extname(path))) {
    for (const [, block, line] of content.matchAll(COMMENT))
      yield {
        kind: "comments",
        text: withoutMarkup((block ?? line).replace(/^\s*\*/gmu, "").replace(/`[^`]*`/gu, "X")),
      };
    for (const [, , text] of content.replace(COMMENT, "").matchAll(QUOTED))
      if (/[a-z]{2,} [a-z]+ /iu.test(text)) yield { kind: "strings", text: withoutValues(text) };
  }
}

const withoutValues = (text) => text.replace(/\$\{[^}]*\}/gu, "X");

const withoutMarkup = (text) =>
  text
    .replace(/<[^>]+>/gu, " ")
    .replace(/\]\([^)\n]*\)/gu, "]")
    .replace(/^\s*(?:[-*#|>]+|\d+\.)\s*/u, "")
    .replace(/\s+/gu, " ")
    .trim();

const sentencesOf = (text) => text.split(/(?<=[.:;!?]) +|\s+\|\s+/u).filter((sentence) => /[a-z]/iu.test(sentence));

/** Counts words, marks and openings by kind. `onMark` gets each mark. */
function measure(paths, onMark) {
  const kinds = Object.keys(rules.limits);
  const counts = new Map(
    kinds.map((kind) => [kind, { words: 0, sentences: 0, marks: 0, openings: 0, if: 0, what: 0 }]),
  );
  for (const path of paths.flatMap(filesBelow))
    for (const { kind, text } of textsIn(path, readFileSync(path, "utf8")))
      for (const sentence of sentencesOf(text))
        count(counts.get(kind), sentence, (mark) => onMark({ path, kind, mark, sentence }));
  return counts;
}

function count(sum, sentence, onMark) {
  const words = sentence.toLowerCase().match(/[a-z']+/gu) ?? [];
  sum.words += words.length;
  sum.sentences += 1;
  sum.openings += openings.has(words[0]) && !sentence.endsWith("?") ? 1 : 0;
  for (const word of ["if", "what"]) sum[word] += words.filter((each) => each === word).length;
  for (const { name, pattern } of marks)
    for (const _ of sentence.matchAll(pattern)) {
      sum.marks += 1;
      onMark(name);
    }
}

function ratesOf({ words, sentences, ...sum }) {
  const perThousand = (number) => (number / Math.max(1, words)) * 1000;
  return {
    words,
    marks: perThousand(sum.marks),
    openings: (sum.openings / Math.max(1, sentences)) * 100,
    if: perThousand(sum.if),
    what: perThousand(sum.what),
  };
}

/** Returns a sentence for each exceeded limit. The rate of *if* has a minimum, all others a maximum. */
function exceeded(kind, rates) {
  if (rates.words < MIN_WORDS) return [`${kind}: only ${rates.words} words were found`];
  return Object.entries(rules.limits[kind])
    .filter(([rate, limit]) => (rate === "if" ? rates[rate] < limit : rates[rate] > limit))
    .map(([rate, limit]) => `${kind}: ${rate} ${rates[rate].toFixed(1)}, limit ${limit}`);
}

const options = new Set(process.argv.slice(2).filter((argument) => argument.startsWith("--")));
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
process.chdir(root);
const counts = measure(named.length > 0 ? named : PLACES.split(" "), ({ path, kind, mark, sentence }) => {
  if (options.has("--list")) console.log(`${path}: ${kind}: [${mark}] ${sentence.slice(0, 150)}`);
});
const rates = [...counts].map(([kind, sum]) => ({ kind, found: ratesOf(sum) }));
for (const { kind, found } of rates) {
  const { words, ...rest } = found;
  const text = Object.entries(rest).map(([name, rate]) => `${name} ${rate.toFixed(1)}`);
  console.log(`${kind}: ${words} words; ${text.join(", ")}`);
}
const failures = options.has("--limits") ? rates.flatMap(({ kind, found }) => exceeded(kind, found)) : [];
for (const failure of failures) console.log(`FAIL  ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;
