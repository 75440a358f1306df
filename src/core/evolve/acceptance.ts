import type { CheckResult, PhaseOutput } from "../../schema/facts.ts";
import type { EventOf, Handlers } from "./evolve.ts";
import { type ActiveRun, type Answer, currentPhase, indexAfter, type Stage } from "../run.ts";
import { failureDigest, UNSEEN } from "../failure-digest.ts";
import {
  enter,
  open,
  patch,
  recordUserEdit,
  settleUserEdits,
  watchAfterAcceptance,
  watchUserEdits,
} from "./changes.ts";

type AcceptanceEventType =
  | "phase.completed"
  | "summaries.changed"
  | "supervision.tightened"
  | "supervision.loosened"
  | "gate.opened"
  | "gate.answered"
  | "writes.takenOut"
  | "phase.rechecked"
  | "phase.accepted"
  | "phase.skipped"
  | "phase.committed"
  | "phase.left";

export const acceptanceHandlers: Handlers<AcceptanceEventType> = {
  "phase.completed": (run, event) => {
    const { made, at } = event;
    // The documents in a proposed commit contain this time, and the commit is older than the event.
    const completedAt = made.proposedCommit === undefined ? at : run.sinceAt;
    return patch(run, { status: "completed", completedAt, redoing: false, made });
  },
  "summaries.changed": (run, { minimal }) => ({ ...run, run: { ...run.run, minimalSummary: minimal } }),
  "supervision.tightened": (run, event) => ({ ...run, supervision: event.supervision }),
  "supervision.loosened": (run, event) => ({
    ...run,
    supervision: event.supervision,
    wait: run.wait?.kind === "gate" ? { ...run.wait, loosened: null } : run.wait,
  }),
  "gate.opened": (run, event) => {
    const made = currentOutput(run);
    if (made === null) return run;
    const { digest, loosened, failures } = event;
    const produced = enter(watchUserEdits(recordUserEdit(run, made.tree), made.tree), event, {
      is: "produced",
      pausedAt: null,
    });
    return open(produced, event, { kind: "gate", digest, loosened, failures });
  },
  "writes.takenOut": (run, event) => {
    const made = currentOutput(run);
    if (run.stage.is !== "produced" || made === null) return run;
    const gone = new Set(event.paths);
    // The composed trees are outdated after the revert. Accepting the phase composes them again.
    const { commitTree: _tree, proposedCommit: _commit, plainTree: _plain, wholeTree: _whole, ...shown } = made;
    const without: PhaseOutput = {
      ...shown,
      unexpected: made.unexpected.filter((path) => !gone.has(path)),
      changed: made.changed?.filter(({ path }) => !gone.has(path)) ?? null,
      changedSinceSeen: made.changedSinceSeen?.filter(({ path }) => !gone.has(path)) ?? null,
      tree: event.tree ?? made.tree,
    };
    const wait =
      run.wait?.kind === "gate" ? { ...run.wait, digest: `${run.wait.digest}+${event.tree ?? event.seq}` } : run.wait;
    return { ...patch(recordUserEdit(run, event.tree), { made: without }), wait };
  },
  "gate.answered": (run, event) => {
    const made = currentOutput(run);
    if (run.stage.is !== "produced" || made === null) return run;
    const { pausedAt } = run.stage;
    const answered = recordAnswer(patch(run, { seenTree: made.tree }), event, pausedAt);
    switch (event.choice) {
      case "review":
        return { ...answered, stage: { is: "produced", pausedAt: event.at } };
      case "continue": {
        const { failures, loosened } = run.wait?.kind === "gate" ? run.wait : { failures: [], loosened: null };
        const known: PhaseOutput = { ...made, concerns: concernsAfter(made, failures) };
        // Excludes UNSEEN: the shown tree is the new baseline, and a later unseen change is a new failure.
        const overruled = failures.filter(({ name }) => name !== UNSEEN).map((failure) => failureDigest([failure]));
        const how = { by: event.by, overruled, loosened, pausedAt, resumedAt: event.at };
        const stage: Stage = { is: "rechecking", ...how };
        const { standing } = known;
        const looked = standing === undefined ? answered : { ...answered, base: standing.base };
        return enter(patch(looked, { made: known }), event, stage);
      }
      case "redo":
        return redo(answered, event);
      default:
        return event.choice satisfies never;
    }
  },
  "phase.rechecked": (run, event) => {
    const made = currentOutput(run);
    if (made === null) return run;
    const checks = event.results.length > 0 ? event.results : made.checks;
    const { commitTree, proposedCommit, plainTree: _plain, wholeTree, standing, notices, ...before } = made;
    const { type: _type, seq: _seq, at: _at, edited: _edited, results: _results, tree, ...found } = event;
    const kept = Object.fromEntries(
      Object.entries({ commitTree, proposedCommit, wholeTree, standing, notices }).filter(
        ([, had]) => had !== undefined,
      ),
    );
    return patch(recordUserEdit(run, tree), { made: { ...before, ...kept, ...found, tree, checks } });
  },
  "phase.accepted": (run, event) => {
    const paused = run.stage.is === "rechecking" ? run.stage : { pausedAt: null, resumedAt: null };
    const { pausedAt, resumedAt } = paused;
    const acceptedTree = currentPhase(run)?.seenTree ?? null;
    const tree = currentOutput(run)?.tree ?? null;
    const accepted = event.by === "engine" ? run : patch(watchAfterAcceptance(run, tree), { acceptedTree });
    return enter(accepted, event, { is: "accepting", pausedAt, resumedAt: pausedAt === null ? null : resumedAt });
  },
  "phase.skipped": (run, event) => {
    const left =
      run.wait?.kind === "gate" ? recordAnswer(run, { ...event, choice: "skip", guidance: null }, null) : run;
    const skipped = patch(settleUserEdits(left), {
      status: "skipped",
      completedAt: event.at,
      redoing: false,
      made: null,
    });
    return enter(skipped, event, { is: "accepting", pausedAt: null, resumedAt: null });
  },
  "phase.committed": (run, event) => ({
    ...patch(run, { commit: event.commit }),
    tip: event.commit ?? currentPhase(run)?.made?.standing?.tip ?? run.tip,
  }),
  "phase.left": (run, event) => {
    const index = indexAfter(run.phases, run.index);
    const stage: Stage =
      index < run.phases.length
        ? { is: "entering", brief: { why: "first", text: "" } }
        : { is: "finishing", how: null, seenAt: null };
    return enter({ ...run, index }, event, stage);
  },
};

/** Returns the output of the current phase; null until it completes. */
const currentOutput = (run: ActiveRun): PhaseOutput | null => currentPhase(run)?.made ?? null;

type GateAnswer = Pick<Answer, "seq" | "choice" | "at" | "by" | "guidance">;

function recordAnswer(run: ActiveRun, event: GateAnswer, pausedAt: string | null): ActiveRun {
  const phase = currentPhase(run);
  const answer: Answer = {
    seq: event.seq,
    phase: phase?.rule.key ?? "",
    choice: event.choice,
    at: event.at,
    by: event.by,
    guidance: event.guidance,
    redo: (phase?.redos ?? 0) + (event.choice === "redo" ? 1 : 0),
    pausedAt: event.choice === "continue" ? pausedAt : null,
  };
  return { ...run, answers: [...run.answers, answer] };
}

function redo(run: ActiveRun, event: EventOf<"gate.answered">): ActiveRun {
  const phase = currentPhase(run);
  const guidance = event.guidance ?? "";
  const unproven = patch(run, {
    status: "in_progress",
    completedAt: null,
    made: null,
    redos: (phase?.redos ?? 0) + 1,
    redoing: true,
    guidance: [...(phase?.guidance ?? []), guidance],
  });
  return enter(unproven, event, { is: "entering", brief: { why: "redo", text: guidance } });
}

/** Returns the concerns about an output once a user accepts it with these failures. */
export const concernsAfter = ({ concerns }: PhaseOutput, failures: readonly CheckResult[]): string[] => [
  ...new Set([...concerns, ...failures.map(continuedOver)]),
];

const continuedOver = ({ name, detail }: CheckResult): string =>
  name === UNSEEN
    ? `Accepted with changes after the summary: ${detail}`
    : `Continued although ${name} failed: ${detail}`;
