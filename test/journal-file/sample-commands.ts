import type { PersonCommand, Report, StartCommand } from "../../src/core/command.ts";
import { currentTicket } from "../../src/core/next.ts";
import type { RunState } from "../../src/core/run.ts";
import type { EventDraft, RunEvent } from "../../src/schema/event.ts";
import type { RunId } from "../../src/schema/ids.ts";

export const RUN = "20261115-101500123-k3f9";
export const NEXT_RUN = "20261116-101500123-k3f9";

const ADA = { name: "ada", channel: "terminal" } as const;
const NONE_YET = { name: "begun", digest: "0" };

/** Records a distinguishable mark: one event, accepted while the run is open. */
export function mark(name: string): PersonCommand {
  return { do: "changeAgents", by: ADA, agent: { name, digest: "0" }, reviewer: NONE_YET };
}

/** The last mark; "begun" if there is none. */
export function lastMark(state: RunState): string {
  return state.is === "none" ? "none" : `${state.is === "ended" ? "ended " : ""}${state.run.agent.name}`;
}

export const marksIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "agents.changed" ? event.agent.name : []));

export const end: PersonCommand = { do: "cancel", by: ADA, reason: "done" };

/** The only report that the state allows: the second equal one is too late. */
export function prepared(state: RunState): Report {
  if (state.is !== "active") throw new Error("no run is open");
  return { do: "report", ticket: currentTicket(state), outcome: { of: "prepare" } };
}

/** Opens a small run. */
export const begin = (run: RunId): StartCommand => ({ do: "start", facts: sampleFacts(run) });

/** The event recorded for it. */
export const started = (run: RunId): EventDraft => ({ type: "run.started", ...sampleFacts(run) });

function sampleFacts(run: RunId): StartCommand["facts"] {
  return {
    run,
    scope: "tree",
    analysed: [],
    workflow: "feature",
    title: "A title with ümlauts and a \n newline",
    item: "docs/requirements/REQ-0001-a",
    plan: [
      {
        key: "01-requirements",
        name: "Requirements",
        persona: "requirements",
        reviewer: null,
        inputs: [],
        outputs: ["requirements.md"],
        needs: "",
        writes: "item",
        tests: false,
        checks: { limit: 10, breaker: 3 },
        gate: "supervised",
        minutes: 10,
        articles: [],
        analysis: false,
        whenLight: "keep",
        after: [],
        personaDigest: "0",
        verdicts: 3,
      },
    ],
    options: {
      mode: "standard",
      light: false,
      commits: "phase",
      finish: "ask",
      sizing: "ask",
      thresholds: { light_max_files: 5, epic_min_files: 20 },
    },
    supervision: { enabled: true, phases: "all" },
    minimalSummary: false,
    agent: NONE_YET,
    reviewer: null,
    git: null,
    tests: null,
    warnings: [],
    by: ADA,
  };
}
