import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as property } from "@fast-check/vitest";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerEvent, refuseTool } from "../../src/surfaces/hook/answer-event.ts";
import { parseMarker } from "../../src/surfaces/hook/marker.ts";
import { installedHookCommands } from "../../src/adapters/agents/installation/hook-commands.ts";
import { builtProgram } from "../support/built-program.ts";
import { withinSecond } from "../support/cpu-time.ts";
import { markRun } from "../support/mark-run.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-hostile-")));
markRun(root, "docs/a", { writes: "tree", outputs: [] });
const marker = parseMarker(readFileSync(join(root, ".isdlc/active"), "utf8"));
const situation = {
  root,
  cwd: root,
  home: root,
  closed: () => [],
  mayBeHost: () => true,
  marker,
  realpath: realpathSync,
  exists: existsSync,
};
afterAll(() => removeTemporary(root));

const word = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("../x", "~", "$HOME", "`x`", "$(x)", "a\0b"));
/** A complete shell line: nested quotes, groups, substitutions and cases. */
const { fragment } = fc.letrec<{ fragment: string }>((tie) => ({
  fragment: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom("date", "echo 'a b'", 'echo "it\'s"', "echo it\\'s \\\" \\$", "echo $'it\\'s'", "ls > /dev/null"),
    tie("fragment").map((inner) => `echo "a $( ${inner}) b"`),
    tie("fragment").map((inner) => `echo $( ${inner}) 'c'`),
    tie("fragment").map((inner) => `( ${inner} )`),
    tie("fragment").map((inner) => `diff <( ${inner} ) <(ls)`),
    tie("fragment").map((inner) => `case "$( ${inner})" in a) ls ;; (b) ${inner} ;; esac`),
    fc.tuple(tie("fragment"), tie("fragment")).map((pair) => pair.join(" && ")),
  ),
}));
const events = fc.constantFrom("PreToolUse", "BeforeTool", "Stop", "SessionStart", "UserPromptSubmit", "Tomorrow");

describe("guard with hostile input", () => {
  property.prop([fc.record({ hook_event_name: fc.oneof(events, word), tool_name: word, tool_input: fc.anything() })], {
    numRuns: 500,
  })("any event", (event) => {
    expect(Object.keys(answerEvent(situation, event)).toSorted()).toEqual(["out", "refused"]);
  });

  property.prop(
    [fc.array(fc.oneof(word, fc.constantFrom("|", "&&", ";", ">", "<<", "'", '"', "\\", "{", "$("))), word],
    {
      numRuns: 1000,
    },
  )("any command, and one that writes the state is refused whatever stands before it", (words, last) => {
    const refused = (command: string) =>
      refuseTool(situation, { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: root });
    refused(words.join(" "));
    refused(words.join("") + last);
    expect(refused(`: ${last.replaceAll(/[^a-z]/g, "")}; echo x > .isdlc/state.json`)).not.toBeNull();
  });

  property.prop([fragment], { numRuns: 500 })(
    "any nesting, after which a write of the state is still refused",
    (before) => {
      const input = { command: `${before}; echo x > .isdlc/state.json` };
      expect(
        refuseTool(situation, { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: input }),
      ).not.toBeNull();
    },
  );

  test("is tested with nesting that bash parses", () => {
    execFileSync("bash", ["-n"], { input: fc.sample(fragment, 200).join("\n") });
  });

  property.prop([fc.oneof(fc.string(), fc.json())], { numRuns: 500 })("any marker", (text) => {
    parseMarker(text);
  });
});

describe("guard started like a host does", () => {
  let command = "";
  beforeAll(async () => {
    const program = await builtProgram();
    command = installedHookCommands(program.replace(/isdlc\.cjs$/, "hook.cjs"), program).closed;
  });
  const ended = (child: ChildProcess) => withinSecond(() => once(child, "close"));
  const deny = JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: ".isdlc/x" },
  });
  const start = (shell = command) =>
    spawn("sh", ["-c", shell], { cwd: root, env: { PATH: process.env["PATH"] ?? "", HOME: root } });

  test("refuses if its output is not read", async () => {
    const child = start();
    child.stdout.destroy();
    child.stdin.end(deny);
    expect(await ended(child)).toEqual([2, null]);
  });

  test("refuses if neither output nor errors are read", async () => {
    const child = start();
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.end(deny);
    expect((await ended(child))[0]).not.toBe(0);
  });

  test("refuses if its input ends immediately", async () => {
    const child = start();
    child.stdin.destroy();
    expect(await ended(child)).toEqual([2, null]);
  });

  test("refuses if its program is missing", async () => {
    const child = start(installedHookCommands(join(root, "gone.cjs"), join(root, "gone")).closed);
    child.stdin.on("error", () => undefined); // The input has no reader.
    child.stdin.end(deny);
    expect(await ended(child)).toEqual([2, null]);
  });

  test("refuses if its program never ends", async () => {
    writeFileSync(join(root, "hangs.cjs"), "setInterval(() => {}, 1000);\n");
    const child = start(installedHookCommands(join(root, "hangs.cjs"), join(root, "hangs.cjs")).closed);
    child.stdin.end(deny);
    expect(await ended(child)).toEqual([2, null]);
  });
});
