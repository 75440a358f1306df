import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { ANALYSIS, BUILD, phasesRun, prepareItem, turns } from "../../../items-cli/prepared-item.ts";

const LIGHT = ANALYSIS.slice(0, 3);
const DROPPED = ANALYSIS.slice(3);
const small = '# Impact\n```json\n{ "files_directly_affected": 2, "risk_level": "low" }\n```\n';

const ready = async (): Promise<Sandbox> => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { ...turns, "02-impact-analysis": [{ writes: { "{item}/impact-analysis.md": small } }] } });
  return sandbox;
};

async function expectLight(sandbox: Sandbox): Promise<void> {
  expect(phasesRun(sandbox)).toEqual(LIGHT);
  expect(sandbox.json("docs/requirements/login-page/meta.json")).toMatchObject({
    analysis_status: "analyzed",
    phases_completed: LIGHT,
    sizing_decision: { effective_intensity: "light", light_skip_phases: DROPPED },
  });
  expect(sandbox.read("BACKLOG.md")).toContain("[A] Login page");
  const built = await sandbox.script("build", "login-page", "--yes", "--supervised", "--json", ...sandbox.agent);
  expect(parsed(built).run.phases.map(({ key }: { key: string }) => key)).toEqual(BUILD);
}

test.concurrent.each([
  { flags: ["-light"], why: "-light" },
  { flags: ["--yes"], why: "--yes if light is recommended" },
])("drops architecture and design in analysis and build with $why [SIZE-APPLY]", async ({ flags }) => {
  const sandbox = await ready();
  expect(await sandbox.script("analyze", "Login page", ...flags, ...sandbox.agent)).toMatchObject({ code: 0 });
  await expectLight(sandbox);
});

test.concurrent.each(["accept", "light"])(
  "drops architecture and design after the answer %s in an analysis [SIZE-APPLY]",
  async (answer) => {
    const sandbox = await ready();
    const asked = parsed(await sandbox.script("analyze", "Login page", "--json", ...sandbox.agent));
    expect(asked.run.waiting).toMatchObject({ kind: "sizing", recommended: "light" });
    expect(await sandbox.person("answer", answer, "--item", "login-page")).toMatchObject({ code: 0 });
    await expectLight(sandbox);
  },
);

test.concurrent.each([
  { done: 2, phases: ["02-impact-analysis", ...BUILD], flags: ["--on-partial", "resume"] },
  { done: 3, phases: BUILD, flags: [] },
  { done: 4, phases: BUILD, flags: [] },
])(
  "drops 03 and 04 in build -light of an item with $done analysis phases [SIZE-APPLY]",
  async ({ done, phases, flags }) => {
    const sandbox = await ready();
    const item = prepareItem(sandbox, { phases: done });
    const built = await sandbox.script("build", "login", "-light", "--yes", ...flags, ...sandbox.agent);
    expect(built.code).toBe(0);
    expect(phasesRun(sandbox)).toEqual(phases);
    expect(built.stderr).not.toMatch(/\[pending\] Phase 0[34].*\n[^]*Phase 05[^]*Proceed/);
    expect(sandbox.json(`${item}/meta.json`).sizing_decision).toMatchObject({ effective_intensity: "light" });
  },
);

test.concurrent("completes an analysis with -light if the impact analysis is done [SIZE-APPLY]", async () => {
  const sandbox = await ready();
  const item = prepareItem(sandbox, { phases: 3 });
  const analyzed = await sandbox.script("analyze", "login", "-light", ...sandbox.agent);
  expect(analyzed.stdout).toContain("login is analyzed already");
  expect(sandbox.log()).toEqual([]);
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({
    analysis_status: "analyzed",
    sizing_decision: { effective_intensity: "light", light_skip_phases: DROPPED },
  });
});
