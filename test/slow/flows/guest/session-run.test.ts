import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";
import { startSession } from "../../../support/session-host.ts";

/** Starts a supervised change for a session. The planned agent is the reviewer. */
async function startForSession(sandbox: Sandbox): Promise<void> {
  const [, command = ""] = sandbox.agent;
  const options = ["--supervised", "--agent", "session", "--reviewer-command", command];
  expect(await sandbox.script("add a greeting", ...options)).toMatchObject({ code: 0 });
}

const write = (sandbox: Sandbox, task: Json): void => {
  for (const path of task.artifacts as string[]) sandbox.write(path, `# ${task.attempt}\n`);
};

describe("supervised run in a session", () => {
  test("gives each phase to the session and opens gates only for the person", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const worker = await startSession(sandbox, "one");

    const begun = await worker.begin();
    expect(begun).toMatchObject({ ok: true, turn: "session", task: { phase: "plan", attempt: "plan#1" } });
    expect(begun.task.prompt).toContain("add a greeting");
    write(sandbox, begun.task);
    const reported = await worker.report(begun.task.nonce);
    expect(reported).toMatchObject({ turn: "person", task: null, run: { waiting: { kind: "gate" } } });
    expect(sandbox.log()).toEqual([]);

    const refused = await worker.isdlc("continue", "--json");
    expect(parsed(refused).problem.code).toBe("ANSWERED_BY_AGENT");
    expect((await sandbox.person("redo", "Name the file", "--json")).code).toBe(0);
    const again = await worker.begin();
    expect(again.task).toMatchObject({ attempt: "plan#2" });
    expect(again.task.prompt).toContain("REDO GUIDANCE: Name the file");
    write(sandbox, again.task);
    await worker.report(again.task.nonce);
    await sandbox.person("continue", "--json");

    const coding = await worker.begin();
    expect(coding.task).toMatchObject({ phase: "implement" });
    sandbox.write("greeting.txt", "hello\n");
    expect(await worker.report(coding.task.nonce)).toMatchObject({ turn: "person" });
    expect(sandbox.log().map(({ key }) => key)).toEqual(["implement reviewer"]);
    expect(sandbox.read(".isdlc/reviews/phase-implement-summary.md")).toContain("greeting.txt");
    await sandbox.person("continue", "--json");
    const judging = await worker.begin();
    expect(judging.task).toMatchObject({ phase: "final-review" });
    write(sandbox, judging.task);
    await worker.report(judging.task.nonce);
    await sandbox.person("continue", "--json");
    expect(parsed(await sandbox.person("answer", "merge", "--json")).run.status).toBe("completed");
    const ended = await worker.begin();
    expect(ended).toMatchObject({ turn: "nobody", task: null, run: { status: "completed", sandbox: null } });
    expect(ended.run.merged).toBe(sandbox.git("rev-parse", "main"));
    expect(sandbox.git("show", "main:greeting.txt")).toBe("hello");
  });

  test("returns a failed check to the session with instructions", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const worker = await startSession(sandbox, "one");
    const { task } = await worker.begin();
    const failed = await worker.report(task.nonce);
    expect(failed).toMatchObject({ turn: "session", task: { attempt: "plan#1", iteration: 2 } });
    expect(failed.task.prompt).toContain("These checks failed on your work");
    expect(failed.task.nonce).not.toBe(task.nonce);
  });

  test("shows at the gate that the session's sandbox is unknown", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const worker = await startSession(sandbox, "one");
    const { task } = await worker.begin();
    write(sandbox, task);
    await worker.report(task.nonce);
    const summary = sandbox.read(".isdlc/reviews/phase-plan-summary.md");
    expect(summary).toContain("**Sandbox**: unknown, an agent session did the work");
    expect((await sandbox.script("status")).stdout).not.toContain("sandbox");
  });

  test("lists files written outside the phase at the gate", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const worker = await startSession(sandbox, "one");
    const { task } = await worker.begin();
    write(sandbox, task);
    sandbox.write("src/early.ts", "export {};\n");
    await worker.report(task.nonce);
    expect(sandbox.read(".isdlc/reviews/phase-plan-summary.md")).toMatch(/src\/early\.ts/);
    expect((await sandbox.status()).waiting.options).toContain("revert");
  });
});

describe("one session per phase", () => {
  test("repeats the task for its session, and refuses other sessions and their reports", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const [one, other] = [await startSession(sandbox, "one"), await startSession(sandbox, "other")];
    const { task } = await one.begin();
    expect((await one.begin()).task).toEqual(task);
    expect((await other.begin()).problem).toMatchObject({ code: "SESSION_HOLDS", session: "one" });
    expect((await other.report("0".repeat(32))).problem.code).toBe("NOT_HELD");
    expect((await sandbox.status()).session).toBe("one");
    expect(parsed(await sandbox.script("resume", "--json")).problem.code).toBe("SESSION_HOLDS");
  });

  test("lets the user release the phase and rejects the earlier session's report", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const [one, other] = [await startSession(sandbox, "one"), await startSession(sandbox, "other")];
    const { task } = await one.begin();
    expect((await sandbox.person("retry", "--json")).code).toBe(0);
    const taken = await other.begin();
    expect(taken.task).toMatchObject({ attempt: "plan#2" });
    write(sandbox, task);
    expect((await one.report(task.nonce)).problem.code).toBe("NOT_HELD");
    expect((await other.report(taken.task.nonce)).turn).toBe("person");
  });
});

describe("change between sessions and drivers", () => {
  test("lets another session take over after the first one dies", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const one = await startSession(sandbox, "one");
    await one.begin();
    await one.kill();
    const other = await startSession(sandbox, "other");
    const taken = await other.begin();
    expect(taken.task).toMatchObject({ attempt: "plan#1", execution: "plan#1.2" });
    write(sandbox, taken.task);
    expect((await other.report(taken.task.nonce)).turn).toBe("person");
    const ends = (await sandbox.events()).flatMap((event) => (event.type === "execution.ended" ? [event.how] : []));
    expect(ends).toEqual(["lost", "done"]);
  });

  test("records one history for work started outside, continued inside and finished outside", async () => {
    const sandbox = await createSandbox();
    await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
    await sandbox.person("continue", "--no-run", "--json");
    const inside = await startSession(sandbox, "inside");
    expect((await inside.begin()).task).toMatchObject({ phase: "implement", execution: "implement#1.1" });
    sandbox.write("half.txt", "half\n");
    await inside.kill();
    sandbox.plan({ turns: { implement: [{ writes: { "whole.txt": "whole\n" } }] } });
    expect(parsed(await sandbox.script("resume", "--json")).run.waiting.id).toMatch(/^implement#1/);
    await sandbox.person("continue", "--json");
    await sandbox.person("continue", "--json");
    expect(parsed(await sandbox.person("answer", "merge", "--json")).run.status).toBe("completed");
    const events = await sandbox.events();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.filter(({ type }) => type === "phase.committed")).toHaveLength(3);
    expect(sandbox.git("show", "main:half.txt")).toBe("half");
  });
});

test("refuses an agent started by a run", async () => {
  const sandbox = await createSandbox();
  await startForSession(sandbox);
  const driven = await sandbox.start(["begin", "--json"], { ISDLC_NONCE: "n", ISDLC_AGENT: "1" }).ended;
  expect(parsed(driven).problem.code).toBe("ANSWERED_BY_AGENT");
});

test("writes session, phase, outputs and wait into .isdlc/active", async () => {
  const sandbox = await createSandbox();
  await startForSession(sandbox);
  await (await startSession(sandbox, "one")).begin();
  const { item, ...marker } = sandbox.json(".isdlc/active");
  expect(marker).toMatchObject({ phase: "plan", writes: "item", session: "one", wait: null });
  expect(marker.outputs).toEqual([`${item}/plan.md`]);
  expect(existsSync(join(sandbox.root, ".isdlc/sessions/one"))).toBe(true);
});
