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
    bug: "going back gives the redos back",
    breaks: BACK_RULES.counts,
    plants: [{ file: BACK, find: `status: "pending",`, put: `status: "pending",\n    redos: 0,` }],
  },
  {
    bug: "going back forgets what was spent",
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
    bug: "going back keeps what was proven",
    breaks: BACK_RULES.proof,
    plants: [{ file: BACK, find: "made: null,\n    commit: null,", put: "" }],
  },
  {
    bug: "going back makes earlier phases unproven too",
    breaks: BACK_RULES.earlier,
    plants: [{ file: BACK, find: "at < index ? phase", put: "at < index - 1 ? phase" }],
  },
  {
    bug: "going back does not restore dropped phases",
    breaks: BACK_RULES.sizing,
    plants: [{ file: BACK, find: "sizing === null ? false : phase.dropped", put: "phase.dropped" }],
  },
  {
    bug: "going back restores dropped phases although sizing holds",
    breaks: BACK_RULES.sizing,
    plants: [{ file: BACK, find: "sizing === null ? false : phase.dropped", put: "false" }],
  },
  {
    bug: "sizing is kept over going back",
    breaks: BACK_RULES.sizing,
    plants: [{ file: "evolve/after-phase.ts", find: "told < index ? run.sizing : null", put: "run.sizing" }],
  },
  {
    bug: "refinement is kept over going back",
    breaks: BACK_RULES.refined,
    plants: [{ file: BACK, find: "run.refined && !run.phases", put: "run.refined || !run.phases" }],
  },
  {
    bug: "the tree is left although it was to be restored",
    breaks: BACK_RULES.place,
    plants: [{ file: BACK, find: `event.tree === "restore"`, put: `event.to === ""` }],
  },
  {
    bug: "the index lands on a dropped phase",
    breaks: "the current phase is one that was kept",
    plants: [{ file: "run.ts", find: "at > index && !phase.dropped", put: "at > index" }],
  },
  {
    bug: "a person goes forward by going back",
    breaks: "a person goes back to where the run has been",
    plants: [{ file: PERSON, find: "run.phases.slice(0, run.index + 1).filter", put: "run.phases.filter" }],
  },
  {
    bug: "a person goes back to a dropped phase",
    breaks: "a person goes back to where the run has been",
    plants: [{ file: PERSON, find: "wasReached(phase) && !phase.dropped", put: "wasReached(phase) || phase.dropped" }],
  },
  {
    bug: "a person goes back while the tree is rewound",
    breaks: "a person goes back to where the run has been",
    plants: [{ file: PERSON, find: `, "rewinding"]);`, put: "]);" }],
  },
  {
    bug: "a restart at a gate is a redo that nobody counts",
    breaks: "the forbidden is refused",
    plants: [
      { file: PERSON, find: `if (run.wait?.kind === "gate") return refuse`, put: `if (run.index < 0) return refuse` },
    ],
  },
  {
    bug: "a phase is started anew after it was accepted",
    breaks: "the forbidden is refused",
    plants: [{ file: PERSON, find: "!UNDER_WAY.has(run.stage.is)", put: "run.index < 0" }],
  },
  {
    bug: "a restart keeps what was proven",
    breaks: "a new attempt begins with nothing proven",
    plants: [
      {
        file: BACK,
        find: `status: "in_progress", completedAt: null, redoing: false, made: null }`,
        put: `status: "in_progress" }`,
      },
    ],
  },
  {
    bug: "a restart leaves the agent running",
    breaks: "no execution is left behind by a person's decision",
    plants: [{ file: PERSON, find: `accept(...abandoned(run, "stopped by a person"), event)`, put: "accept(event)" }],
  },
  {
    bug: "the work is sized without asking",
    breaks: "sizing is never silent",
    plants: [{ file: REPORT, find: `if (policy === "ask")`, put: `if (policy === "ask" && run.index > 0)` }],
  },
  {
    bug: "an agreed recommendation overrules -light",
    breaks: "sizing is never silent",
    plants: [{ file: REPORT, find: "if (light) return", put: `if (light && policy === "ask") return` }],
  },
  {
    bug: "the work is never sized",
    breaks: "a phase that tells the size is not left before it was told",
    plants: [{ file: AFTER, find: `step === "sizing" ? run.sizing === null`, put: `step === "sizing" ? false` }],
  },
  {
    bug: "the work is sized twice",
    breaks: "the work is sized once",
    plants: [{ file: AFTER, find: `step === "sizing" ? run.sizing === null`, put: `step === "sizing" ? true` }],
  },
  {
    bug: "light leaves out whatever comes",
    breaks: "light leaves out later phases that say so, standard none",
    plants: [{ file: AFTER, find: `rule.whenLight === "drop"`, put: `rule.whenLight !== "drop"` }],
  },
  {
    bug: "standard leaves out phases too",
    breaks: "light leaves out later phases that say so, standard none",
    plants: [{ file: AFTER, find: `choice.effective === "light" ? droppable(run) : []`, put: "droppable(run)" }],
  },
  {
    bug: "light leaves too little of the workflow",
    breaks: "three phases are left at least",
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
    bug: "one bad list of tasks too many",
    breaks: "a person is asked about the third bad list, not before",
    plants: [{ file: REPORT, find: "MAX_TASK_LISTS = 3", put: "MAX_TASK_LISTS = 4" }],
  },
];

describe("bug planted into completion and return of phases", () => {
  test.for(bugs.map((one) => [one.bug, one] as const))("breaks a promise: %s", async ([, { breaks, plants }]) => {
    expect(brokenBy(await plantedCore(plants), scripts, breaks)).toContain(breaks);
  });
});
