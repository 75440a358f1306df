import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { createSandbox, type Json, parsed } from "../../support/cli.ts";
import { expectNothingLeft } from "./after-run.ts";
import { drivenAgents, type Setup } from "./driven-agents.ts";
import { changeRules, DEFECT, IS_REVIEWER, FIXED } from "./claude-scripts.ts";

const TITLE = "the greeting lacks its comma";
const agents = await drivenAgents();

/** Over the Agent Client Protocol, the prompt contains the persona. */
const REVIEWER: Rule = {
  name: "reviewer over the protocol",
  when: { prompt: IS_REVIEWER },
  turns: [{ json: { approved: true, issues: [], summary: "The next phase can work from this." } }],
};

let setup: Setup | null = null;
afterEach(async () => {
  await setup?.close();
  setup = null;
});

test.each(agents)("completes a change with $choice from plan to merge", async ({ choice, start, binary }) => {
  if (!binary.ok) return;
  const sandbox = await createSandbox({ files: DEFECT });
  let folder = "";
  const workFolder = (): string =>
    (folder ||= join(".isdlc/work", readdirSync(join(sandbox.root, ".isdlc/work"))[0] ?? ""));
  setup = await start(sandbox, [REVIEWER, ...changeRules(sandbox.root, workFolder)]);
  const env = { ...setup.env, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const isdlc = async (...args: string[]): Promise<Json> => {
    const outcome = await sandbox.start([...args, "--json"], env).ended;
    return { code: outcome.code, ...parsed(outcome) };
  };
  const first = await isdlc(TITLE, "--agent", choice, "--tests", "trust");
  expect(first).toMatchObject({ code: 3, run: { current: "final-review", waiting: { kind: "gate" } } });
  await isdlc("continue");
  expect(await isdlc("answer", "merge")).toMatchObject({ code: 0, run: { status: "completed", finish: "merge" } });
  expect(sandbox.git("show", "main:src/greeting.js")).toBe(FIXED.trim());
  expectNothingLeft(await sandbox.events());
});

test("completes a change with a custom command from plan to merge", async () => {
  const sandbox = await createSandbox({ files: { "a.txt": "a\n" } });
  sandbox.plan({ turns: { implement: [{ writes: { "a.txt": "b\n" } }] } });
  const first = parsed(await sandbox.script(TITLE, "--json", ...sandbox.agent));
  expect(first).toMatchObject({ run: { current: "final-review", waiting: { kind: "gate" } } });
  await sandbox.person("continue");
  expect((await sandbox.person("answer", "merge")).code).toBe(0);
  expect(sandbox.git("show", "main:a.txt")).toBe("b");
});
