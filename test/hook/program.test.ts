import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { createSandbox } from "../support/cli.ts";
import { markRun } from "../support/mark-run.ts";

type Said = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const hookFile = async (): Promise<string> => (await builtProgram()).replace(/isdlc\.cjs$/, "hook.cjs");

/** `change`: what becomes of the marker that the engine wrote. */
async function hook(input: string | Buffer, change = (marker: string): string => marker): Promise<Said> {
  const { root, env } = await createSandbox({ git: false });
  markRun(root, "docs/a", { outputs: [] });
  const marker = join(root, ".isdlc/active");
  writeFileSync(marker, change(readFileSync(marker, "utf8")));
  const child = spawn(process.execPath, [await hookFile(), root], { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
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

describe("the hook program refuses what it cannot read:", () => {
  test.each<[string, string | Buffer]>([
    ["nothing", ""],
    ["no JSON", "{"],
    ["null", "null"],
    ["a number", "7"],
    ["zero bytes", Buffer.alloc(100)],
    ["200,000 brackets", "[".repeat(200_000)],
    ["50 MB", Buffer.alloc(50 * 1024 * 1024, 0x20)],
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

describe("the hook program lets pass what it does not know:", () => {
  test.each([
    { hook_event_name: "Tomorrow" },
    { tool_name: "Unheard" },
    { tool_input: null },
    { tool_name: 7, tool_input: [] },
    { tool_input: { file_path: { deep: true } } },
  ])("%j", async (more) => {
    expect(await hook(event(more))).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

test("the hook program is one small file that needs nothing but node", async () => {
  const source = readFileSync(await hookFile(), "utf8");
  expect(Buffer.byteLength(source)).toBeLessThanOrEqual(20_000);
  expect(
    [...source.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name).every((name) => name?.startsWith("node:")),
  ).toBe(true);
});
