import type { Decide } from "../../src/adapters/journal-file/submit-decision.ts";
import { accept } from "../../src/core/command.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { RunId } from "../../src/schema/ids.ts";

/** The first decision of a small run. */
export function begin(run: RunId): Decide {
  return () => accept(started(run));
}

export function started(run: RunId): EventDraft {
  return {
    type: "run.started",
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
    agent: { name: "replay", digest: "0" },
    reviewer: null,
    git: null,
    tests: null,
    warnings: [],
    by: { name: "ada", channel: "terminal" },
  };
}
