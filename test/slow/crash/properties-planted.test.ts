import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brokenBy, type Bug, plantedCore } from "../../support/planted-core.ts";
import { playScript } from "../../support/play-script.ts";
import { script } from "../../support/run-scripts.ts";

const scripts = fc.sample(script, { seed: 7, numRuns: 500 });

const ATTEMPT = "evolve/attempt.ts";
const ACCEPTANCE = "evolve/acceptance.ts";
const RUN_EVENTS = "evolve/run-events.ts";
const PERSON = "decide/person.ts";
const REPORT = "decide/report.ts";
const VERDICT = "decide/verdict.ts";
const LOOP = "findings/loop-policy.ts";

const bugs: readonly Bug[] = [
  {
    bug: "a retry resets the redo count",
    breaks: "no phase is redone more than three times",
    plants: [
      {
        file: RUN_EVENTS,
        find: `patch(limited, { status: "in_progress", made: null })`,
        put: `patch(limited, { status: "in_progress", made: null, redos: 0 })`,
      },
    ],
  },
  {
    bug: "a fourth redo is accepted",
    breaks: "offered and accepted commands are the same",
    plants: [{ file: PERSON, find: "?? 0) >= redoLimit(run)", put: "?? 0) > redoLimit(run)" }],
  },
  {
    bug: "a fourth redo is offered",
    breaks: "offered and accepted commands are the same",
    plants: [{ file: "next.ts", find: "?? 0) < redoLimit(run)", put: "?? 0) <= redoLimit(run)" }],
  },
  {
    bug: "the redo limit is four",
    breaks: "redo is offered three times, counted in the journal",
    plants: [{ file: "run.ts", find: "MAX_REDOS = 3", put: "MAX_REDOS = 4" }],
  },
  {
    bug: "a redo keeps the phase's results",
    breaks: "a new attempt starts without results",
    plants: [{ file: ACCEPTANCE, find: "made: null,\n    redos:", put: "redos:" }],
  },
  {
    bug: "a new attempt keeps the previous attempt's work",
    breaks: "a new attempt starts without results",
    plants: [
      {
        file: ATTEMPT,
        find: "{ ...unproven, session: conversationFor(run, event.brief) }",
        put: "{ ...kept, session: conversationFor(run, event.brief) }",
      },
      {
        file: ATTEMPT,
        find: "export const attemptHandlers",
        put: "const kept = { ...unproven, verdicts: 1 };\nexport const attemptHandlers",
      },
    ],
  },
  {
    bug: "a draft counts as approved before its review",
    breaks: "approved work has a verdict of this attempt without blockers",
    plants: [{ file: ATTEMPT, find: "approved: false", put: "approved: true" }],
  },
  {
    bug: "an approval overrides blockers",
    breaks: "approved work has a verdict of this attempt without blockers",
    plants: [
      {
        file: LOOP,
        find: 'iteration.approved && iteration.issues.every(({ severity }) => severity !== "blocker")',
        put: "iteration.approved",
      },
    ],
  },
  {
    bug: "an extra verdict is allowed",
    breaks: "no attempt has more verdicts than its rule allows",
    plants: [{ file: LOOP, find: "iterations.length >= limit", put: "iterations.length > limit" }],
  },
  {
    bug: "an extra failure is allowed",
    breaks: "checks escalate exactly at their limit or the circuit breaker",
    plants: [{ file: VERDICT, find: "work.failures + 1 >= limit", put: "work.failures >= limit" }],
  },
  {
    bug: "identical failures are not counted",
    breaks: "checks escalate exactly at their limit or the circuit breaker",
    plants: [{ file: VERDICT, find: "same >= breaker", put: "same > breaker" }],
  },
  {
    bug: "an outcome only needs the current attempt",
    breaks: "forbidden commands are refused",
    plants: [
      {
        file: "next.ts",
        find: '`${currentAttempt(run) ?? "run"}@${run.since}`',
        put: '`${currentAttempt(run) ?? "run"}`',
      },
    ],
  },
  {
    bug: "tickets are not compared",
    breaks: "forbidden commands are refused",
    plants: [{ file: REPORT, find: "report.ticket !== expected", put: "expected === null" }],
  },
  {
    bug: "unreadable settings switch supervision off",
    breaks: "settings never remove a gate",
    plants: [
      {
        file: "supervision.ts",
        find: `if (reading.is !== "set" || !reading.enabled) return current;`,
        put: `if (reading.is !== "set" || !reading.enabled) return { enabled: false, phases: "all" };`,
      },
    ],
  },
  {
    bug: "settings replace the supervision of the run",
    breaks: "only a person's continue passes a due gate",
    plants: [
      {
        file: REPORT,
        find: "const supervision = resolveSupervision(run, settings);",
        put: `const supervision = settings.is === "set" ? { enabled: settings.enabled, phases: settings.phases } : run.supervision;`,
      },
    ],
  },
  {
    bug: "a phase with a permanent gate has none",
    breaks: "only a person's continue passes a due gate",
    plants: [{ file: REPORT, find: `isHooked || rule.gate === "always"`, put: "isHooked" }],
  },
  {
    bug: "a large artifact opens no gate",
    breaks: "only a person's continue passes a due gate",
    plants: [{ file: REPORT, find: "made.lines > LARGE_ARTIFACT_LINES", put: "made.lines > LARGE_ARTIFACT_LINES + 1" }],
  },
  {
    bug: "agents can decide",
    breaks: "forbidden commands are refused",
    plants: [
      { file: "decide/decide.ts", find: `command.by.channel === "agent"`, put: `command.by.name === ""` },
      { file: PERSON, find: `command.by.channel === "agent"`, put: `command.by.name === ""` },
    ],
  },
  {
    bug: "a second driver takes over the claim",
    breaks: "an execution is claimed once",
    plants: [
      {
        file: REPORT,
        find: "if (stage.claim !== null) return refuse",
        put: "if (stage.claim === undefined) return refuse",
      },
    ],
  },
  {
    bug: "answers to any wait are accepted",
    breaks: "forbidden commands are refused",
    plants: [{ file: PERSON, find: "wait.id === id && ", put: `id !== "" && ` }],
  },
  {
    bug: "the next phase becomes current when the gate is answered",
    breaks: "phase.left makes the next remaining phase current",
    plants: [
      {
        file: ACCEPTANCE,
        find: `return enter(accepted, event, { is: "accepting", pausedAt,`,
        put: `return enter({ ...accepted, index: run.index + 1 }, event, { is: "accepting", pausedAt,`,
      },
    ],
  },
  {
    bug: "a failed outcome is refused",
    breaks: "every action accepts a successful and a failed outcome",
    plants: [
      {
        file: REPORT,
        find: "outcome.of === currentStep(run)\n",
        put: `outcome.of === currentStep(run) && outcome.of !== "recheck"\n`,
      },
    ],
  },
  {
    bug: "the state contains facts missing from the journal",
    breaks: "replaying the journal returns the live state",
    plants: [
      {
        file: "decide/decide.ts",
        find: "export function decide",
        put: "let count = 0;\nexport const counted = () => (count += 1);\nexport function decide",
      },
      { file: RUN_EVENTS, find: "startedAt: at }", put: "startedAt: at + String(counted()) }" },
      {
        file: RUN_EVENTS,
        find: `import { changed, enter, open, patch } from "./changes.ts";`,
        put: `import { changed, enter, open, patch } from "./changes.ts";\nimport { counted } from "../decide/decide.ts";`,
      },
    ],
  },
  {
    bug: "evolve changes its input state",
    breaks: "no function throws or changes its input",
    plants: [
      {
        file: ACCEPTANCE,
        find: `"supervision.tightened": (run, event) => ({ ...run, supervision: event.supervision }),`,
        put: `"supervision.tightened": (run, event) => Object.assign(run, { supervision: event.supervision }),`,
      },
    ],
  },
  {
    bug: "answers at a gate are lost",
    breaks: "every answer at a gate is recorded",
    plants: [{ file: ACCEPTANCE, find: "answers: [...run.answers, answer]", put: "answers: [answer]" }],
  },
  {
    bug: "a successful recheck opens the gate again",
    breaks: "every run can be finished",
    plants: [{ file: REPORT, find: "failures.length > 0 ? { type", put: "failures.length >= 0 ? { type" }],
  },
];

describe("bug planted into a copy of the core", () => {
  test("violates no rule without a bug", async () => {
    const copy = await plantedCore([]);
    expect(scripts.slice(0, 150).flatMap((one) => playScript(copy, one).violations)).toEqual([]);
  });

  test.for(bugs.map((one) => [one.bug, one] as const))("violates a rule if %s", async ([, { breaks, plants }]) => {
    expect(brokenBy(await plantedCore(plants), scripts, breaks)).toContain(breaks);
  });
});
