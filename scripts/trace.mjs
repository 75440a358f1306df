// Builds docs/traceability.md from test names: the tests of each requirement.
// Fails if a requirement of a delivered family has no test. With --check, fails if the file is out of date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

/** Each requirement of these families must have a test. */
const DELIVERED = ["SM", "SIZE", "BUILD", "VERBS", "LOCK", "SPEC"];

const requirements = JSON.parse(readFileSync("docs/requirements.json", "utf8"));
const names = readdirSync("test", { recursive: true })
  .filter((path) => path.endsWith(".test.ts"))
  .sort((one, other) => (one < other ? -1 : 1))
  .flatMap((path) => testNames(path));

function testNames(path) {
  const source = readFileSync(join("test", path), "utf8");
  const found = source.matchAll(
    /\b(?:test|it|describe)(?:\.[a-z]+(?:\([^)]*\)|\[[^\]]*\])?|<[^>]*>)*\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/gs,
  );
  const inTables = source.matchAll(/^\s*(?:\[\s*)?(["'`])([A-Z]+-[^\n]*?|[^\n]*? \[[A-Z]+-[^\]\n]*\])\1,?/gm);
  const afterTables = source.matchAll(/\)\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g);
  return [...found, ...inTables, ...afterTables].map((match) => ({ path, name: match[2].replaceAll(/\s+/g, " ") }));
}

const testsOf = (id) => {
  const exact = new RegExp(`(?<![\\w-])${id.replaceAll("-", "\\-")}(?![\\w-])`);
  const seen = new Set();
  return names.filter(
    ({ path, name }) => exact.test(name) && !seen.has(`${path}${name}`) && seen.add(`${path}${name}`),
  );
};

const cell = (text) => text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
const rows = requirements.map(({ id, text, decided }) => ({ id, text, decided, tests: testsOf(id) }));
const family = (id) => id.split("-")[0];
const missing = rows.filter(({ id, tests }) => DELIVERED.includes(family(id)) && tests.length === 0);
const covered = rows.filter(({ tests }) => tests.length > 0).length;

const lines = [
  "# Traceability",
  "",
  "Made by `npm run trace` from the names of the tests. Families delivered so far: " + DELIVERED.join(", ") + ".",
  `${covered} of ${rows.length} requirements have a test.`,
  "",
  "| requirement | what | tests |",
  "|---|---|---|",
  ...rows
    .filter(({ tests, id }) => tests.length > 0 || DELIVERED.includes(family(id)))
    .map(({ id, text, decided, tests }) => {
      const what = cell(text) + (decided === undefined ? "" : ` (decided: ${decided})`);
      const shown = tests.slice(0, 4).map(({ path, name }) => `\`${path}\`: ${cell(name)}`);
      return `| ${id} | ${what} | ${shown.join("<br>")}${tests.length > 4 ? `<br>and ${tests.length - 4} more` : ""} |`;
    }),
  "",
];
const page = lines.join("\n");
if (names.length < 100) throw new Error(`Only ${names.length} tests were seen: the search for test names is broken.`);
if (process.argv.includes("--check")) {
  if (readFileSync("docs/traceability.md", "utf8") !== page) {
    console.error("docs/traceability.md is out of date: run npm run trace.");
    process.exitCode = 1;
  }
} else writeFileSync("docs/traceability.md", page);
for (const { id, text } of missing) console.error(`${id} has no test: ${text}`);
if (missing.length > 0) process.exitCode = 1;
console.log(`${rows.length} requirements, ${covered} with tests, ${missing.length} missing in delivered families`);
