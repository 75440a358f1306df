import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";
import { ANALYSIS, BUILD, prepareItem, turns } from "../../../items-cli/prepared-item.ts";

const start = async (sandbox: Sandbox, ...args: string[]) => {
  sandbox.plan({ turns });
  const outcome = await sandbox.script(...args, "--supervised", ...sandbox.agent);
  expect(outcome).toMatchObject({ code: 3, stdout: expect.stringContaining("waiting") });
  const { phases, current } = await sandbox.status();
  return { ...outcome, phases: phases.map(({ key }: { key: string }) => key), current };
};

test.concurrent.for([["05-test-strategy"], ["05"], ["test-strategy"]])(
  "runs four phases, starting with the first, with --start-phase %s [BUILD-AC-006-01, BUILD-AC-006-04]",
  async ([phase = ""]) => {
    const sandbox = await createSandbox();
    const started = await start(sandbox, "run", "feature", "Login page", "--start-phase", phase);
    expect(started).toMatchObject({ code: 3, phases: BUILD, current: "05-test-strategy" });
    const { active_workflow, phases } = sandbox.json(".isdlc/state.json");
    expect(active_workflow).toMatchObject({ phases: BUILD, current_phase_index: 0, current_phase: "05-test-strategy" });
    expect(Object.keys(phases)).toEqual(BUILD);
  },
);

test.concurrent("runs seven phases in the item's folder with --start-phase 02 [BUILD-AC-006-02]", async () => {
  const sandbox = await createSandbox();
  const item = prepareItem(sandbox);
  const started = await start(sandbox, "build", "login", "--start-phase", "02-impact-analysis");
  expect(started.phases).toEqual([...ANALYSIS.slice(2), ...BUILD]);
  expect(started.stderr).toContain("[done] Phase 01: Requirements");
  expect(await sandbox.status()).toMatchObject({ item });
  expect(sandbox.json(`${item}/meta.json`).build_started_at).toMatch(/Z$/);
});

test.concurrent.for([["99-none"], ["constructor"], ["; touch /tmp/x"], ["tracing"]])(
  "warns about the start phase %s, lists the valid ones and runs everything [BUILD-AC-006-03, BUILD-ERR-ORCH-INVALID-START-PHASE]",
  async ([phase]) => {
    const sandbox = await createSandbox();
    const started = await start(sandbox, "run", "feature", "Login page", "--start-phase", phase ?? "");
    expect(started).toMatchObject({ code: 3, phases: [...ANALYSIS, ...BUILD], current: "00-quick-scan" });
    expect(started.stderr).toContain("warning: START_PHASE_INVALID (ERR-ORCH-INVALID-START-PHASE):");
    expect(started.stderr).toContain(`Valid: ${[...ANALYSIS, ...BUILD].join(", ")}.`);
  },
);

test.concurrent("runs every phase without --start-phase, which also works without items [BUILD-AC-006-05]", async () => {
  const sandbox = await createSandbox();
  expect(await start(sandbox, "run", "feature", "Login page")).toMatchObject({ phases: [...ANALYSIS, ...BUILD] });
  const other = await createSandbox();
  expect(await start(other, "run", "change", "Login page")).toMatchObject({ current: "plan" });
  const sliced = await createSandbox();
  const started = await start(sliced, "run", "change", "Login page", "--start-phase", "implement");
  expect(started.phases).not.toContain("plan");
  expect(sliced.git("status", "--porcelain", "--untracked-files=all")).toBe("?? src/by-agent.js");
});
