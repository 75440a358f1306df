import type { FailingTest } from "../../../schema/facts.ts";
import type { AgentProcessEnd } from "../../process/start-agent-process.ts";

/** Returns the failed tests named in a report, in its order and without duplicates. Empty without a known report. */
export function failingTests(output: string): readonly FailingTest[] {
  const plain = output.replaceAll(COLOURS, "");
  const found = READERS.map((read) => read(plain)).find((tests) => tests.length > 0) ?? [];
  return [...new Map(found.slice(0, MAX_FAILING_TESTS).map((test) => [test.name, test])).values()];
}

/** More than anyone reads. If a whole suite fails, it has one cause. */
const MAX_FAILING_TESTS = 200;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

type FailureReader = (output: string) => FailingTest[];

/** `not ok 2 - name` with an indented block that has `error:`. Omits tests that only failed because of a subtest. */
const tap: FailureReader = (output) =>
  [...output.matchAll(/^(?<indent> *)not ok \d+(?: - | )(?<name>.*)\n(?<block>(?:\k<indent> {2}.*\n?)*)/gm)].flatMap(
    ({ groups: { name = "", block = "" } = {} }) => {
      if (/failureType: 'subtestsFailed'/.test(block) || /# (?:TODO|SKIP)\b/i.test(name)) return [];
      const inline = /^ *(?:error|message): (?!\|)(['"]?)(.*)\1$/m.exec(block)?.[2];
      const folded = /^( *)(?:error|message): \|-?\n((?:\1 .*\n)*)/m.exec(block)?.[2];
      return [{ name: name.trim(), message: reason(inline ?? folded) }];
    },
  );

/** List after `✖ failing tests:` in node's own reporter. */
const nodeSpec: FailureReader = (output) => {
  const [, list] = output.split(/^✖ failing tests:$/m);
  if (list === undefined) return [];
  return [...list.matchAll(/^✖ (.+) \([\d.]+ms\)\n((?: {2}.*\n?)*)/gm)].map(([, name = "", block = ""]) => ({
    name,
    message: reason(block),
  }));
};

/** ` FAIL  file > suite > test`, then the error. */
const vitest: FailureReader = (output) =>
  [...output.matchAll(/^ ?FAIL {2}(.+ > .+)\n((?:[^⎯\n].*\n)*)/gm)].map(([, name = "", error]) => ({
    name: name.replace(/^\|?[^|>]*\| /, "").trim(),
    message: reason(error),
  }));

/** `  ● suite › test`, then the error after an empty line. */
const jest: FailureReader = (output) =>
  [...output.matchAll(/^ {2}● (.+)\n\n((?: {4}.*\n|\n)+)/gm)].map(([, name = "", block]) => ({
    name: name.trim(),
    message: reason(block),
  }));

/** `  1) suite`, deeper lines up to one that ends with a colon, then the error. */
const mocha: FailureReader = (output) => {
  const [, list] = output.split(/^ *\d+ failing$/m);
  if (list === undefined) return [];
  return [...list.matchAll(/^ {2}\d+\) ([^\n]+(?:\n {6,}[^\n]+?)*?):\n([\s\S]*?)(?=^ {2}\d+\) |$(?![\s\S]))/gm)].map(
    ([, name = "", block]) => ({ name: name.split("\n").map(trimmed).join(" > "), message: reason(block) }),
  );
};

/** `FAILED file::test - reason` and `ERROR …` of the short summary. */
const pytest: FailureReader = (output) =>
  [...output.matchAll(/^(?:FAILED|ERROR) (\S+::.*?)(?: - (.*))?$/gm)].map(([, name = "", why]) => ({
    name,
    message: reason(why),
  }));

/** `---- name stdout ----`, then `thread … panicked at place:` and the reason. */
const cargo: FailureReader = (output) =>
  [...output.matchAll(/^---- (\S+) stdout ----\n+(?:thread .* panicked at [^\n]*\n)?([^\n]*)/gm)].map(
    ([, name = "", why]) => ({ name, message: reason(why) }),
  );

/** `--- FAIL: Name (0.00s)`, then `file:line: reason`. Omits tests that only contain failed subtests. */
const go: FailureReader = (output) => {
  const marks = [...output.matchAll(/^ *--- FAIL: (\S+) \([\d.]+s\)\n(?:\s+\S+\.go:\d+: (.*))?/gm)];
  const names = marks.map(([, name = ""]) => name);
  return marks.flatMap(([, name = "", why]) =>
    names.some((other) => other.startsWith(`${name}/`)) ? [] : [{ name, message: reason(why) }],
  );
};

/** `<testcase name="…">` with a `<failure>` or `<error>` before the next test case. */
const junit: FailureReader = (output) =>
  output
    .split("<testcase ")
    .slice(1)
    .flatMap((part) => {
      const [given = "", ...inner] = part.split(">");
      const fault = inner.map(trimmed).find((tag) => /^<(?:failure|error)\b/.test(tag));
      if (given.endsWith("/") || fault === undefined) return [];
      return [{ name: attribute(given, "name"), message: reason(attribute(fault, "message")) }];
    });

function attribute(tag: string, name: string): string {
  const start = ` ${tag}`.indexOf(` ${name}="`);
  if (start === -1) return "";
  const [value = ""] = tag.slice(start + name.length + 2).split('"', 1);
  return unescaped(value);
}

const READERS: readonly FailureReader[] = [nodeSpec, tap, vitest, jest, mocha, pytest, cargo, go, junit];

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (all, name: string) => ENTITIES[name] ?? all);

const trimmed = (line: string): string => line.trim();

/** First line after a reason: stacks, excerpts of source, differences. */
const AFTER_REASON = /^(?:at |❯|async |> \d+ \||\d+ ?\||[-+] (?:Expected|Received|expected|actual)|stack)/;
const MAX_FAILURE_LINES = 4;
const MAX_NAME_LENGTH = 300;

/** Joins the first lines of an error. */
function reason(text: string | undefined): string | null {
  const lines = (text ?? "").split("\n").map(trimmed);
  const end = lines.findIndex((line) => AFTER_REASON.test(line));
  const said = lines.slice(0, end === -1 ? undefined : end).filter((line) => line !== "");
  return said.length === 0 ? null : said.slice(0, MAX_FAILURE_LINES).join(" ").slice(0, MAX_NAME_LENGTH);
}

/** Exit codes of a shell if a program cannot be executed, or does not exist. */
const SHELL_FAILURES: ReadonlySet<number | null> = new Set([126, 127]);

/** Lines of launchers and test runners that ran no test at all. */
const NO_START =
  /^(?:bwrap: |npm (?:ERR!|error) (?:Missing script|code ENOENT|enoent )|error:? Script not found |.*ERR_PNPM_NO_SCRIPT|.*Startup Error|failed to load config from |ERROR: usage: |.*could not find or load main class )/im;

type EndedProcess = { readonly end: AgentProcessEnd; readonly output: string };

/** True if no test ran: the test command, or a program called by it, could not be started. */
export function couldNotStart({ end, output }: EndedProcess): boolean {
  if (end.ended === "notStarted") return true;
  return end.ended === "exit" && end.exitCode !== 0 && (SHELL_FAILURES.has(end.exitCode) || NO_START.test(output));
}
