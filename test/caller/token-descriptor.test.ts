import { spawn } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { createSandbox, type Outcome, type Sandbox } from "../support/cli.ts";

/** Runs a command with a file as descriptor 3, like `3< <(pass show isdlc)`. */
async function withDescriptor(sandbox: Sandbox, args: readonly string[], handedOver: string): Promise<Outcome> {
  const file = join(sandbox.base, "handed-over");
  writeFileSync(file, handedOver);
  const descriptor = openSync(file, "r");
  const argv = [await builtProgram(), ...args];
  const { env, root: cwd } = sandbox;
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe", descriptor] });
  closeSync(descriptor);
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...said })));
}

async function atGate(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  return sandbox;
}

describe("approval token from a descriptor [S11]", () => {
  test.concurrent("answers the gate", async () => {
    const sandbox = await atGate();
    const { code } = await withDescriptor(sandbox, ["continue", "--token-fd", "3"], `${sandbox.token}\n`);
    expect(code).toBe(3);
    const answers = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
    expect(answers).toMatchObject([{ by: { channel: "token" } }]);
    expect(await sandbox.status()).not.toMatchObject({ current: "plan" });
  });

  test.concurrent.each([
    ["a wrong token", ["continue", "--token-fd", "3"], "isdlc_wrong\n"],
    ["an empty token", ["continue", "--token-fd", "3"], ""],
    ["a closed descriptor", ["continue", "--token-fd", "9"], ""],
    ["an invalid descriptor number", ["continue", "--token-fd", "three"], ""],
  ])("is refused with %s, and the gate stays open", async (_name, args, handedOver) => {
    const sandbox = await atGate();
    const { code, stderr } = await withDescriptor(sandbox, args, handedOver);
    expect(code).toBe(1);
    expect(stderr).toMatch(/TOKEN_REFUSED|NEEDS_PERSON/);
    expect(await sandbox.status()).toMatchObject({ current: "plan", waiting: { kind: "gate" } });
  });
});
