import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { programsStarted } from "../../bench/programs-started.ts";
import { installedHookCommands } from "../../src/adapters/agents/installation/hook-commands.ts";
import { builtProgram } from "../support/built-program.ts";
import { createSandbox } from "../support/cli.ts";
import { withinSecond } from "../support/cpu-time.ts";
import { markRun } from "../support/mark-run.ts";

const LONGEST_LINE = 128 * 1024; // characters

type Said = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const hookFile = async (): Promise<string> => (await builtProgram()).replace(/isdlc\.cjs$/, "hook.cjs");

/** `change`: what becomes of the marker that the engine wrote. */
async function hook(input: string | Buffer, change = (marker: string): string => marker): Promise<Said> {
  const { root, env } = await createSandbox({ git: false });
  markRun(root, "docs/a", { outputs: [] });
  const marker = join(root, ".isdlc/active");
  writeFileSync(marker, change(readFileSync(marker, "utf8")));
  const file = await hookFile();
  return withinSecond(() => answerTo(input, { file, root, env }));
}

type Place = { readonly file: string; readonly root: string; readonly env: Readonly<Record<string, string>> };

async function answerTo(input: string | Buffer, { file, root, env }: Place): Promise<Said> {
  const child = spawn(process.execPath, [file, root], { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  child.stdin.on("error", () => undefined); // it stops reading what is too long
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...said };
}

const event = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Write", tool_input: {}, ...more });

describe("the hook program refuses within a second what it cannot read:", () => {
  test.each<[string, string | Buffer]>([
    ["nothing", ""],
    ["no JSON", "{"],
    ["null", "null"],
    ["a number", "7"],
    ["zero bytes", Buffer.alloc(100)],
    ["200,000 brackets", "[".repeat(200_000)],
    ["50 MB", Buffer.alloc(50 * 1024 * 1024, 0x20)],
    ["50 MB of one event", event({ tool_input: { command: "x".repeat(50 * 1024 * 1024) } })],
  ])("%s", async (_what, input) => {
    const { code, stderr } = await hook(input);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^isdlc: /);
  });

  test.each(["", "{", "null", "[]", "[".repeat(100_000), '{"writes":"tree"}'])(
    "a marker that is %j allows no write",
    async (damaged) => {
      const { stdout } = await hook(event({ tool_input: { file_path: "src/a.ts" } }), () => damaged);
      expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
    },
  );

  test("a marker whose item leads out of the tree allows no write", async () => {
    const leadingOut = (marker: string): string => JSON.stringify({ ...JSON.parse(marker), item: "../x" });
    const { stdout } = await hook(event({ tool_input: { file_path: "src/a.ts" } }), leadingOut);
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
  });
});

describe("the hook program lets pass within a second what it does not know:", () => {
  test.each([
    { hook_event_name: "Tomorrow" },
    { version: 99, protocol: "2099-01-01" },
    { tool_name: "Unheard" },
    { tool_input: null },
    { tool_name: 7, tool_input: [] },
    { tool_input: { file_path: { deep: true } } },
  ])("%j", async (more) => {
    expect(await hook(event(more))).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("the hook program has read within a second the longest line a shell takes:", () => {
  test.each([
    ["words", "a "],
    ["open quotes", `'"`],
    ["substitutions", "$(x) "],
    ["open substitutions", "$("],
    ["redirections", "> a "],
    ["files in braces", "touch {a,b}{c,d}{e,f}{g,h};"],
    ["a path", "touch a", "/a"],
    ["long paths", `touch ${"a/".repeat(2000)};`],
    ["a patch", "*** Begin Patch\n", "*** Add File: a\n"],
  ])("%s", async (_what, first, more = first) => {
    const command = (first + more.repeat(LONGEST_LINE / more.length)).slice(0, LONGEST_LINE);
    expect((await hook(event({ tool_name: "Bash", tool_input: { command } }))).code).not.toBeNull();
  });

  test("a longer one is refused unread", async () => {
    const { stdout } = await hook(event({ tool_name: "Bash", tool_input: { command: "x".repeat(LONGEST_LINE + 1) } }));
    expect(stdout).toContain("too long for a shell");
  });
});

test("one event starts one process of Node, and without an open run none", async ({ skip }) => {
  const { root: cwd, env } = await createSandbox({ git: false });
  const file = await hookFile();
  const { closed: command } = installedHookCommands(file, file);
  const started = () => programsStarted({ command, cwd, env, input: event({ tool_name: "Read" }) });
  if (started() === null) skip("strace is missing: apt-get install strace");
  expect(started()).toEqual(["sh"]);
  markRun(cwd, "docs/a", { outputs: [] });
  expect(started()?.filter((name) => name !== "timeout")).toEqual(["sh", "node"]);
});

test("the hook program is one small file that needs nothing but node", async () => {
  const source = readFileSync(await hookFile(), "utf8");
  expect(Buffer.byteLength(source)).toBeLessThanOrEqual(20_000);
  expect(
    [...source.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name).every((name) => name?.startsWith("node:")),
  ).toBe(true);
});
