import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BACK_RULES } from "../../support/back-rules.ts";
import { brokenBy, type Bug, plantedCore } from "../../support/planted-core.ts";
import { script } from "../../support/run-scripts.ts";

const scripts = fc.sample(script, { seed: 5, numRuns: 700 });

const BACK = "evolve/going-back.ts";
const AFTER = "decide/after-phase.ts";
const PERSON = "decide/person.ts";
const REPORT = "decide/report.ts";

const bugs: readonly Bug[] = [
  {
    bug: "returning to a phase resets its redo count",
    breaks: BACK_RULES.counts,
    plants: [{ file: BACK, find: `status: "pending",`, put: `status: "pending",\n    redos: 0,` }],
  },
  {
    bug: "returning to a phase resets its usage",
    breaks: BACK_RULES.counts,
    plants: [
      {
        file: BACK,
        find: `status: "pending",`,
        put: `status: "pending",\n    usage: { input: null, output: null, usd: null },`,
      },
    ],
  },
  {
    bug: "returning to a phase keeps its results",
    breaks: BACK_RULES.proof,
    plants: [{ file: BACK, find: "made: null,\n    commit: null,", put: "" }],
  },
  {
    bug: "returning to a phase also resets the phase before it",
    breaks: BACK_RULES.earlier,
    plants: [{ file: BACK, find: "at < index ? phase", put: "at < index - 1 ? phase" }],
  },
  {
    bug: "returning to a phase before sizing does not restore dropped phases",
    breaks: BACK_RULES.sizing,
    plants: [{ file: BACK, find: "sizing === null ? false : phase.dropped", put: "phase.dropped" }],
  },
  {
    bug: "returning to a phase after sizing restores dropped phases",
    breaks: BACK_RULES.sizing,
    plants: [{ file: BACK, find: "sizing === null ? false : phase.dropped", put: "false" }],
  },
  {
    bug: "sizing is kept after a return to a phase before it",
    breaks: BACK_RULES.sizing,
    plants: [{ file: "evolve/after-phase.ts", find: "told < index ? run.sizing : null", put: "run.sizing" }],
  },
  {
    bug: "refinement is kept after a return to a phase before it",
    breaks: BACK_RULES.refined,
    plants: [{ file: BACK, find: "run.refined && !run.phases", put: "run.refined || !run.phases" }],
  },
  {
    bug: "the files are not restored although the user chose it",
    breaks: BACK_RULES.place,
    plants: [{ file: BACK, find: `event.tree === "restore"`, put: `event.to === ""` }],
  },
  {
    bug: "a dropped phase becomes the current phase",
    breaks: "the current phase is not dropped",
    plants: [{ file: "run.ts", find: "at > index && !phase.dropped", put: "at > index" }],
  },
  {
    bug: "the user can return to a later phase",
    breaks: "users return only to earlier phases of the run",
    plants: [{ file: PERSON, find: "run.phases.slice(0, run.index + 1).filter", put: "run.phases.filter" }],
  },
  {
    bug: "the user can return to a dropped phase",
    breaks: "users return only to earlier phases of the run",
    plants: [{ file: PERSON, find: "wasReached(phase) && !phase.dropped", put: "wasReached(phase) || phase.dropped" }],
  },
  {
    bug: "the user can return to a phase while files are restored",
    breaks: "users return only to earlier phases of the run",
    plants: [{ file: PERSON, find: `, "rewinding"]);`, put: "]);" }],
  },
  {
    bug: "a restart at a gate avoids the redo count",
    breaks: "forbidden commands are refused",
    plants: [
      { file: PERSON, find: `if (run.wait?.kind === "gate") return refuse`, put: `if (run.index < 0) return refuse` },
    ],
  },
  {
    bug: "an accepted phase can be restarted",
    breaks: "forbidden commands are refused",
    plants: [{ file: PERSON, find: "!UNDER_WAY.has(run.stage.is)", put: "run.index < 0" }],
  },
  {
    bug: "a restart keeps the phase's results",
    breaks: "a new attempt starts without results",
    plants: [
      {
        file: BACK,
        find: `status: "in_progress", completedAt: null, redoing: false, made: null }`,
        put: `status: "in_progress" }`,
      },
    ],
  },
  {
    bug: "a restart does not end the agent",
    breaks: "decisions leave no execution running",
    plants: [{ file: PERSON, find: `accept(...abandoned(run, "stopped by a person"), event)`, put: "accept(event)" }],
  },
  {
    bug: "the work is sized without a question",
    breaks: "sizing always asks or follows an option",
    plants: [{ file: REPORT, find: `if (policy === "ask")`, put: `if (policy === "ask" && run.index > 0)` }],
  },
  {
    bug: "an accepted recommendation overrides -light",
    breaks: "sizing always asks or follows an option",
    plants: [{ file: REPORT, find: "if (light) return", put: `if (light && policy === "ask") return` }],
  },
  {
    bug: "the work is never sized",
    breaks: "the sizing phase ends only after the size is decided",
    plants: [{ file: AFTER, find: `step === "sizing" ? run.sizing === null`, put: `step === "sizing" ? false` }],
  },
  {
    bug: "the work is sized twice",
    breaks: "the work is sized once",
    plants: [{ file: AFTER, find: `step === "sizing" ? run.sizing === null`, put: `step === "sizing" ? true` }],
  },
  {
    bug: "light drops every later phase",
    breaks: "light drops only later phases marked for it, and standard none",
    plants: [{ file: AFTER, find: `rule.whenLight === "drop"`, put: `rule.whenLight !== "drop"` }],
  },
  {
    bug: "standard drops phases",
    breaks: "light drops only later phases marked for it, and standard none",
    plants: [{ file: AFTER, find: `choice.effective === "light" ? droppable(run) : []`, put: "droppable(run)" }],
  },
  {
    bug: "light leaves fewer than three phases",
    breaks: "at least three phases remain",
    plants: [{ file: AFTER, find: ">= MIN_LIGHT_PHASES", put: ">= MIN_LIGHT_PHASES - 1" }],
  },
  {
    bug: "tasks are refined twice",
    breaks: "tasks are refined once for an accepted design",
    plants: [{ file: AFTER, find: "!run.refined && phase", put: "phase" }],
  },
  {
    bug: "tasks are not refined",
    breaks: "tasks are refined once for an accepted design",
    plants: [{ file: AFTER, find: "!run.refined && phase", put: "run.refined && phase" }],
  },
  {
    bug: "one invalid task list too many is tolerated",
    breaks: "the third invalid task list escalates, and none before",
    plants: [{ file: REPORT, find: "MAX_TASK_LISTS = 3", put: "MAX_TASK_LISTS = 4" }],
  },
];

describe("bug planted into completion and return of phases", () => {
  test.for(bugs.map((one) => [one.bug, one] as const))("violates a rule if %s", async ([, { breaks, plants }]) => {
    expect(brokenBy(await plantedCore(plants), scripts, breaks)).toContain(breaks);
  });
});
