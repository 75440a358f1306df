import { execFile } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { Turn } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import { createSandbox } from "../../support/cli.ts";

const binary = await agentBinary(codexPackage);
const shell = (command: string): Turn => ({ calls: [{ shell: command }] });

test.skipIf(!binary.ok)(
  "a session of Codex with isdlc installed is told where it stands, and refused what is not its own",
  async () => {
    const sandbox = await createSandbox();
    const [, command = ""] = sandbox.agent;
    await sandbox.script("add a greeting", "--supervised", "--agent", "session", "--reviewer-command", command);
    const tries = [
      "echo x > .isdlc/state.json",
      "isdlc continue",
      "git commit --allow-empty -m x",
      "echo x > early.ts",
    ];
    const codex = await withCodex([
      { name: "tries", when: { prompt: "Go on" }, turns: [...tries.map(shell), { text: "Tried." }] },
    ]);
    onTestFinished(() => codex.close());
    const env = { ...sandbox.env, ...codex.env };
    expect((await sandbox.start(["install", "codex", "--json"], env).ended).code).toBe(0);
    const words = ["exec", "--json", "--dangerously-bypass-hook-trust", "-s", "workspace-write", "Go on"];
    await new Promise<void>((resolve, reject) => {
      const child = execFile(codex.program, words, { cwd: sandbox.root, env }, (error, stdout) =>
        error === null ? resolve() : reject(new Error(`${error.message}\n${stdout.slice(-2000)}`)),
      );
      child.stdin?.end();
    });
    const calls = codex.model.calls.filter(({ matched }) => matched?.rule === "tries");
    expect(JSON.stringify(calls[0]?.request)).toContain("Next: isdlc begin");
    const refusals = calls
      .slice(1)
      .map(({ request }) => request.messages.findLast(({ role }) => role === "tool")?.text);
    expect(refusals).toHaveLength(tries.length);
    for (const [at, refusal] of refusals.entries()) expect(refusal, tries[at]).toMatch(/isdlc: /);
    expect(calls[0]?.request.tools.join(" ")).toMatch(/isdlc/);
    expect(sandbox.git("status", "--porcelain")).toBe("");
  },
);
