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

const LONGEST_LINE = 128 * 1024; // Characters.

type Said = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const hookFile = async (): Promise<string> => (await builtProgram()).replace(/isdlc\.cjs$/, "hook.cjs");

/** `change` modifies the marker written by the engine. */
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
  child.stdin.on("error", () => undefined); // The program stops reading input that is too long.
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...said };
}

const event = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Write", tool_input: {}, ...more });

describe("unreadable input of the hook program", () => {
  test.each<[string, string | Buffer]>([
    ["no input", ""],
    ["invalid JSON", "{"],
    ["JSON null", "null"],
    ["a number", "7"],
    ["zero bytes", Buffer.alloc(100)],
    ["200,000 brackets", "[".repeat(200_000)],
    ["50 MB", Buffer.alloc(50 * 1024 * 1024, 0x20)],
    ["one event of 50 MB", event({ tool_input: { command: "x".repeat(50 * 1024 * 1024) } })],
  ])("is refused within a second: %s", async (_what, input) => {
    const { code, stderr } = await hook(input);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^isdlc: /);
  });

  test.each(["", "{", "null", "[]", "[".repeat(100_000), '{"writes":"tree"}'])(
    "allows no write with the damaged marker %j",
    async (damaged) => {
      const { stdout } = await hook(event({ tool_input: { file_path: "src/a.ts" } }), () => damaged);
      expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
    },
  );

  test("allows no write if the marker's item leads out of the working tree", async () => {
    const leadingOut = (marker: string): string => JSON.stringify({ ...JSON.parse(marker), item: "../x" });
    const { stdout } = await hook(event({ tool_input: { file_path: "src/a.ts" } }), leadingOut);
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
  });
});

describe("unknown event of the hook program", () => {
  test.each([
    { hook_event_name: "Tomorrow" },
    { version: 99, protocol: "2099-01-01" },
    { tool_name: "Unheard" },
    { tool_input: null },
    { tool_name: 7, tool_input: [] },
    { tool_input: { file_path: { deep: true } } },
  ])("is allowed within a second: %j", async (more) => {
    expect(await hook(event(more))).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("longest shell line", () => {
  test.each([
    ["plain words", "a "],
    ["open quotes", `'"`],
    ["substitutions", "$(x) "],
    ["open substitutions", "$("],
    ["redirections", "> a "],
    ["files in brace expansions", "touch {a,b}{c,d}{e,f}{g,h};"],
    ["a path", "touch a", "/a"],
    ["long paths", `touch ${"a/".repeat(2000)};`],
    ["a patch", "*** Begin Patch\n", "*** Add File: a\n"],
  ])("is parsed by the hook program within a second: %s", async (_what, first, more = first) => {
    const command = (first + more.repeat(LONGEST_LINE / more.length)).slice(0, LONGEST_LINE);
    expect((await hook(event({ tool_name: "Bash", tool_input: { command } }))).code).not.toBeNull();
  });

  test("refuses a longer line without parsing it", async () => {
    const { stdout } = await hook(event({ tool_name: "Bash", tool_input: { command: "x".repeat(LONGEST_LINE + 1) } }));
    expect(stdout).toContain("too long for a shell");
  });
});

test("starts one Node process per event, and none without an open run", async ({ skip }) => {
  const { root: cwd, env } = await createSandbox({ git: false });
  const file = await hookFile();
  const { closed: command } = installedHookCommands(file, file);
  const started = () => programsStarted({ command, cwd, env, input: event({ tool_name: "Read" }) });
  if (started() === null) skip("strace is missing: apt-get install strace");
  expect(started()).toEqual(["sh"]);
  markRun(cwd, "docs/a", { outputs: [] });
  expect(started()?.filter((name) => name !== "timeout")).toEqual(["sh", "node"]);
});

test("bundles the hook program into one small file that needs only Node", async () => {
  const source = readFileSync(await hookFile(), "utf8");
  expect(Buffer.byteLength(source)).toBeLessThanOrEqual(20 * 1024);
  expect(
    [...source.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name).every((name) => name?.startsWith("node:")),
  ).toBe(true);
});
