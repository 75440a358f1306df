import { expect, test } from "vitest";
import { createSandbox, parsed } from "../../../support/cli.ts";

test("accepts exactly one of eight simultaneous answers to a gate", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const { id } = (await sandbox.status()).waiting;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => sandbox.person("continue", "--wait", id, "--no-run", "--json")),
  );
  const refused = answers.filter(({ code }) => code === 1);
  expect([answers.filter(({ code }) => code === 0).length, refused.length]).toEqual([1, 7]);
  for (const answer of refused)
    expect(parsed(answer).problem).toMatchObject({ code: "COMMAND_REFUSED", refusal: { why: "notOpen" } });
  const answered = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
  expect(answered).toHaveLength(1);
  expect(sandbox.json(".isdlc/state.json").active_workflow.review_history).toHaveLength(1);
});

test("starts the agent in one of two simultaneous resumes and watches from the other", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ delay: 1500 }] } });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("continue", "--no-run");
  const both = await Promise.all([sandbox.script("resume", "--json"), sandbox.script("resume", "--json")]);
  for (const resumed of both)
    expect([resumed.code, parsed(resumed).run.waiting?.id]).toEqual([3, expect.stringMatching(/^implement#1\/gate/)]);
  expect(both.filter(({ stderr }) => stderr.includes("is already driving this run; watching it."))).toHaveLength(1);
  expect(sandbox.log().filter(({ key }) => key === "implement")).toHaveLength(1);
  expect((await sandbox.events()).filter(({ type }) => type === "execution.started")).toHaveLength(3);
});

test("opens one run for four simultaneous starts", async () => {
  const sandbox = await createSandbox();
  const starts = await Promise.all(
    ["one", "two", "three", "four"].map((title) =>
      sandbox.script(`do ${title}`, "--supervised", "--json", ...sandbox.agent),
    ),
  );
  const events = await sandbox.events();
  expect(events.filter(({ type }) => type === "run.started")).toHaveLength(1);
  for (const { code, stdout } of starts) expect([1, 3], stdout).toContain(code);
  expect(starts.filter(({ code }) => code === 3).length).toBeGreaterThanOrEqual(1);
  expect(sandbox.log()).toHaveLength(1);
  expect((await sandbox.status()).waiting.kind).toBe("gate");
});
