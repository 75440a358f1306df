import { expect, test } from "vitest";
import { openProject } from "../../src/compose/project.ts";
import { begin, mark, RUN } from "../journal-file/sample-commands.ts";
import { hastyFiles } from "../journal-file/sample-run.ts";
import { createSandbox } from "../support/cli.ts";

const SHOWN = 500;
const EVENTS = 620;

test("prints the newest events of a long run for users and returns all as JSON", async () => {
  const sandbox = await createSandbox();
  const { journal } = openProject(sandbox.root, sandbox.env, hastyFiles);
  await journal.create(RUN, begin(RUN));
  const linesOf = async (...args: string[]): Promise<string[]> =>
    (await sandbox.person("history", ...args)).stdout.trimEnd().split("\n");

  for (let count = 1; count < SHOWN; count++) await journal.submit(RUN, mark(`m${count}`));
  const atLimit = await linesOf();
  expect(atLimit).toHaveLength(SHOWN);
  expect(atLimit[0]).toMatch(/^\s*1 {2}/);

  for (let count = SHOWN; count < EVENTS; count++) await journal.submit(RUN, mark(`m${count}`));
  const newest = await linesOf();
  expect(newest[0]).toBe(`Before these there are ${EVENTS - SHOWN} more: isdlc history --whole`);
  expect((await linesOf("--run", RUN))[0]).toContain(`isdlc history --run ${RUN} --whole`);
  const whole = await linesOf("--whole");
  expect(whole).toHaveLength(EVENTS);
  expect(newest.slice(1)).toEqual(whole.slice(-SHOWN));
  const told = JSON.parse((await sandbox.person("history", "--json")).stdout);
  expect(told.events).toHaveLength(EVENTS);
});
