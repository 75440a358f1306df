import { expect, test } from "vitest";
import { procFileTable } from "../../../../src/adapters/process/process-table.ts";
import { createSandbox, parsed, type Running, type Sandbox } from "../../../support/cli.ts";

const HANGS_ONCE = { turns: { plan: [{ hangs: true }, {}] } };

const startLong = (sandbox: Sandbox): Running =>
  sandbox.start(["add a greeting", "--supervised", "--json", ...sandbox.agent]);

/** Resolves with the agent's process id as soon as it runs. */
async function agentAtWork(sandbox: Sandbox, turns = 1): Promise<number> {
  for (;;) {
    const noted = sandbox.log();
    if (noted.length >= turns) return noted.at(-1)?.pid ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isAlive = (pid: number): boolean => procFileTable().one(pid) !== null;

test.concurrent.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const)("ends the agent after %s with exit code %i, and can be resumed", async (name, code) => {
  const sandbox = await createSandbox();
  sandbox.plan(HANGS_ONCE);
  const running = startLong(sandbox);
  const agent = await agentAtWork(sandbox);
  expect((await sandbox.status()).status).toBe("running");
  running.child.kill(name);
  const ended = await running.ended;
  expect(ended.code).toBe(code);
  expect(parsed(ended).run.status).toBe("interrupted");
  expect(isAlive(agent)).toBe(false);
  expect((await sandbox.status()).status).toBe("interrupted");
  const resumed = await sandbox.script("resume", "--json");
  expect([resumed.code, parsed(resumed).run.waiting.id]).toEqual([3, expect.stringMatching(/^plan#1/)]);
  expect(sandbox.log()).toHaveLength(2);
  const ends = (await sandbox.events()).filter((event) => event.type === "execution.ended");
  expect(ends).toMatchObject([{ how: "lost" }, { how: "done" }]);
});

test.concurrent("names files that the user edited after Ctrl-C to the next execution", async () => {
  const sandbox = await createSandbox({ files: { "src/app.js": "one\n" } });
  sandbox.plan(HANGS_ONCE);
  const running = startLong(sandbox);
  await agentAtWork(sandbox);
  running.child.kill("SIGINT");
  await running.ended;
  sandbox.write("src/app.js", "two\n");
  await sandbox.script("resume", "--json");
  const [first, second] = sandbox.log().map(({ prompt }) => prompt);
  expect(first).not.toContain("The user edited");
  expect(second).toContain('The user edited these files. Keep every edit of the user:\n- "src/app.js"');
});

test.concurrent("ends the agent and the driver when another process cancels the run", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(HANGS_ONCE);
  const running = startLong(sandbox);
  const agent = await agentAtWork(sandbox);
  const cancelled = await sandbox.person("cancel", "--reason", "changed my mind", "--json");
  expect([cancelled.code, parsed(cancelled).run]).toMatchObject([
    0,
    { status: "cancelled", reason: "changed my mind" },
  ]);
  const driver = await running.ended;
  expect([driver.code, parsed(driver).run.status]).toEqual([0, "cancelled"]);
  expect(isAlive(agent)).toBe(false);
  expect(parsed(await sandbox.script("status", "--json")).run).toBeNull();
  expect(sandbox.json(".isdlc/state.json")).toMatchObject({
    active_workflow: null,
    workflow_history: [{ status: "cancelled", cancellation_reason: "changed my mind" }],
  });
});

test.concurrent.each(["cancel", "resume", "doctor"])("ends the agent of a killed driver in isdlc %s", async (verb) => {
  const sandbox = await createSandbox();
  sandbox.plan(HANGS_ONCE);
  const running = startLong(sandbox);
  const agent = await agentAtWork(sandbox);
  running.child.kill("SIGKILL");
  await running.ended;
  expect((await sandbox.status()).status).toBe("interrupted");
  await sandbox.person(verb, ...(verb === "cancel" ? ["--reason", "enough"] : []));
  expect(isAlive(agent)).toBe(false);
  expect((await sandbox.events()).filter(({ type }) => type === "run.started")).toHaveLength(1);
});

test.concurrent("shows the paused gate again after a kill during the pause [SM-NFR-04]", async () => {
  const sandbox = await createSandbox();
  const running = sandbox.start(["add a greeting", "--supervised", ...sandbox.agent]);
  await running.ended;
  for (const kill of [0, 20, 40, 60, 80, 120]) {
    const reviewing = sandbox.start(["review"], { ISDLC_OPERATOR_TOKEN: sandbox.token });
    await new Promise((resolve) => setTimeout(resolve, kill));
    reviewing.child.kill("SIGKILL");
    await reviewing.ended;
  }
  await sandbox.person("review");
  const before = await sandbox.events();
  expect(before.filter((event) => event.type === "gate.answered")).toMatchObject([{ choice: "review" }]);
  const back = await sandbox.script();
  expect(back.code).toBe(3);
  expect(back.stdout).toContain("A review was in progress for Plan.");
  expect(back.stdout).toContain("[C] Continue to next phase");
  expect(back.stdout).toContain("[R] Show summary and review again");
  expect((await sandbox.status()).waiting).toMatchObject({ kind: "gate", paused: true });
  expect(sandbox.json(".isdlc/state.json").active_workflow.supervised_review.status).toBe("reviewing");
  const gone = parsed(await sandbox.person("continue", "--json")).run;
  expect(gone.waiting.id).toMatch(/^implement/);
  const cancelled = await sandbox.person("cancel", "--reason", "enough", "--json");
  expect(parsed(cancelled).run.status).toBe("cancelled");
});

test("adds an ended run to the history if the program was killed before", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({});
  await sandbox.script("Say hello", "--tests", "without", ...sandbox.agent);
  const marker = sandbox.read(".isdlc/active");
  await sandbox.person("cancel", "--reason", "enough");
  const before = sandbox.read(".isdlc/state.json");
  const ended = JSON.parse(before).workflow_history;
  expect(ended).toHaveLength(1);
  // Restores the files to their state right after the last journal line was written.
  const stale = { ...JSON.parse(before), workflow_history: [] };
  sandbox.write(".isdlc/state.json", JSON.stringify(stale));
  sandbox.write(".isdlc/active", marker);
  await sandbox.script("history");
  expect(sandbox.json(".isdlc/state.json").workflow_history).toEqual(ended);
  expect(() => sandbox.read(".isdlc/active")).toThrow("ENOENT");
});
