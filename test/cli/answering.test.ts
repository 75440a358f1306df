import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/cli.ts";

const QUESTIONS = [
  { id: "tone", text: "Which tone?", choices: ["warm", "cool"] },
  { id: "size", text: "How long?" },
];

async function asked(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const result = { status: "needs_input", questions: QUESTIONS };
  sandbox.plan({ turns: { plan: [{ artifacts: false, result }, {}] } });
  expect((await sandbox.script("add a greeting", ...sandbox.agent)).code).toBe(3);
  return sandbox;
}

test.concurrent("prints the phase, its questions and the answer command in status and gate", async () => {
  const sandbox = await asked();
  for (const verb of ["status", "gate"]) {
    const { stdout } = await sandbox.script(verb);
    expect(stdout).toContain(
      "The agent of phase Plan asks:\n  tone: Which tone? (warm / cool)\n  size: How long?\nAnswer: isdlc answer",
    );
  }
});

test.concurrent("explains the open questions for an answer without arguments", async () => {
  const sandbox = await asked();
  const { code, stderr } = await sandbox.person("answer");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^USAGE: Give an answer\. The agent of phase Plan asks: tone: Which tone\?/);
  expect(stderr).toContain("isdlc answer --reply <id>=<text>");
  expect((await sandbox.status()).waiting.kind).toBe("questions");
});

test.concurrent("answers several questions with one command", async () => {
  const sandbox = await asked();
  const { stdout } = await sandbox.script("status");
  expect(stdout).toContain("Answer: isdlc answer --reply <id>=<text>, once for each question");
  const done = await sandbox.person("answer", "--reply", "tone=warm", "--reply", "size=two lines = short");
  expect(done.code).toBe(3);
  expect(sandbox.log()[1]?.prompt).toContain("Which tone?\n  warm");
  expect(sandbox.log()[1]?.prompt).toContain("How long?\n  two lines = short");
});

test.concurrent("prints the failure with its phase", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ result: { status: "failed", summary: "The sources are missing." } }] } });
  await sandbox.script("add a greeting", ...sandbox.agent);
  const { stdout } = await sandbox.script();
  const told = "Phase Plan: the agent did not finish its work (agent failed):\n  The sources are missing.\nYou can:\n";
  expect(stdout.split(told)).toHaveLength(2);
});
