import type { ReviewComment } from "../../schema/comments.ts";
import type { EventDraft, GateChoice, Step } from "../../schema/event.ts";
import type { Sizing } from "../../schema/facts.ts";
import type { WaitId } from "../../schema/ids.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import { aheadText, isSpent, spentBy, spentText, wouldExceed } from "../budget.ts";
import { accept, type Decision, type Guidance, guidanceText, type PersonCommand, refuse } from "../command.ts";
import { keptRef } from "../kept-ref.ts";
import { listWaitOptions } from "../next.ts";
import {
  type ActiveRun,
  currentPhase,
  type EscalationOption,
  OWN_LINES,
  redoLimit,
  type PhaseRecord,
  type Stage,
  type Wait,
} from "../run.ts";
import { signatureRefusal } from "../attestation/signed-decision.ts";
import { abandoned, effectiveSizing } from "./execution-end.ts";
import { afterPhase, decideSizing } from "./after-phase.ts";

type CommandOf<D extends PersonCommand["do"]> = Extract<PersonCommand, { do: D }>;
type OpenWait<K extends Wait["kind"]> = Extract<Wait, { kind: K }>;

type Answers = { readonly [D in PersonCommand["do"]]: (run: ActiveRun, command: CommandOf<D>, by: Person) => Decision };

/** Decides a person's command on an open run. `decide` has refused agents before; the type requires the check again. */
export function decidePerson(run: ActiveRun, command: PersonCommand): Decision {
  if (command.by.channel === "agent") return refuse({ why: "notAPerson" });
  const answer = answers[command.do] as (run: ActiveRun, command: PersonCommand, by: Person) => Decision; // keyed by `command.do`
  const decision = answer(run, command, command.by);
  return command.do === "removePasskey" ? decision : withSignature(run, command.signature, decision);
}

/**
 * Refuses unsigned decisions in a run that requires passkeys. Checks every given signature and records it before the
 * decision.
 */
function withSignature({ run }: ActiveRun, signature: PasskeySignature | undefined, decision: Decision): Decision {
  if (!decision.ok) return decision;
  const { passkeys = [] } = run;
  if (signature === undefined) return passkeys.length === 0 ? decision : refuse({ why: "notSigned" });
  const refusal = signatureRefusal(run, signature, decision.events);
  return refusal === null ? accept({ type: "decision.signed", signature }, ...decision.events) : refuse(refusal);
}

const answers: Answers = {
  continue: answerGate,
  review: answerGate,
  redo: answerGate,
  loosen,
  reply,
  retry,
  skip,
  accept: answerEscalation,
  size,
  back,
  changeAgents: (_run, { do: _do, ...changed }, by) => accept({ type: "agents.changed", ...changed, by }),
  raise,
  revert,
  finish,
  cancel: (_run, { reason }, by) =>
    reason.trim() === "" ? refuse({ why: "reasonMissing" }) : accept({ type: "run.cancelled", by, reason }),
  removePasskey: ({ run }, { passkey, reason }, by) =>
    run.passkeys?.some(({ id }) => id === passkey) === true
      ? accept({ type: "passkey.removed", passkey, reason, by })
      : refuse({ why: "passkeyUnknown" }),
};

function answerGate(run: ActiveRun, command: CommandOf<"continue" | "review" | "redo">, by: Person): Decision {
  const wait = openWait(run, command.wait, "gate");
  if (wait === null) return notOpen(run);
  if (command.shown !== wait.digest) return refuse({ why: "notAsShown", wait: wait.id });
  const choice: GateChoice = command.do;
  if (choice === "review" && run.stage.is === "produced" && run.stage.pausedAt !== null)
    return refuse({ why: "alreadyPaused" });
  if (choice === "redo" && (currentPhase(run)?.redos ?? 0) >= redoLimit(run))
    return refuse({ why: "redosSpent", limit: redoLimit(run) });
  const answer = { type: "gate.answered", wait: wait.id, choice, by, shown: command.shown } as const;
  if (command.do !== "redo") return accept({ ...answer, guidance: null });
  return accept({ ...answer, guidance: guidanceText(command), ...pickComments(command) });
}

function loosen(run: ActiveRun, command: CommandOf<"loosen">, by: Person): Decision {
  const wait = openWait(run, command.wait, "gate");
  if (wait === null) return notOpen(run);
  if (wait.loosened === null) return refuse({ why: "nothingLoosened" });
  return accept({ type: "supervision.loosened", wait: wait.id, supervision: wait.loosened, by });
}

function reply(run: ActiveRun, command: CommandOf<"reply">, by: Person): Decision {
  const wait = openWait(run, command.wait, "questions");
  if (wait === null) return notOpen(run);
  const replied = new Set(command.replies.map((reply) => reply.id));
  if (!wait.questions.every((question) => replied.has(question.id))) return refuse({ why: "unanswered" });
  const known = new Set(wait.questions.map((question) => question.id));
  const replies = command.replies.filter((reply) => known.has(reply.id));
  return accept({ type: "questions.answered", wait: wait.id, by, replies });
}

/** Events of a skip, by failed step. A step without an entry cannot be skipped. */
const AFTER_SKIP: { readonly [S in Step]?: (run: ActiveRun, by: Person) => readonly EventDraft[] } = {
  baseline: (_run, by) => [{ type: "baseline.settled", how: "without", by }],
  enter: (_run, by) => [{ type: "phase.skipped", by }],
  produce: (_run, by) => [{ type: "phase.skipped", by }],
  check: (_run, by) => [{ type: "phase.skipped", by }],
  review: (_run, by) => [{ type: "phase.skipped", by }],
  commit: (run) => [{ type: "phase.committed", commit: null }, ...afterPhase(run)],
  measure: (run, by) => decideSizing(run, UNMEASURED, { effective: "standard", by }),
  refine: (run) => [{ type: "tasks.refined", artifact: null, tasks: 0 }, ...afterPhase(run, "refinement")],
  rewind: (run) => [{ type: "run.rewound", kept: keptRef(run), restored: [], commit: null }],
  finish: ({ stage }) =>
    stage.is === "finishing" && stage.how !== "keep"
      ? [{ type: "finish.chosen", how: "keep", by: "engine" }]
      : [{ type: "run.finished", how: "keep", merged: null }],
};

export const skippable = (step: Step): boolean => AFTER_SKIP[step] !== undefined;

/** Restarts the phase, or retries a failed step. At a gate only redo repeats work, because redos are counted. */
function retry(run: ActiveRun, command: CommandOf<"retry">, by: Person): Decision {
  if (command.wait !== null) return answerEscalation(run, command, by);
  if (run.wait?.kind === "gate") return refuse({ why: "notOffered", valid: listWaitOptions(run, run.wait) });
  return inPhase(run, { type: "phase.restarted", by });
}

function skip(run: ActiveRun, command: CommandOf<"skip">, by: Person): Decision {
  const { wait } = command;
  return wait === null ? inPhase(run, { type: "phase.skipped", by }) : answerEscalation(run, { ...command, wait }, by);
}

type EscalationAnswer = CommandOf<"retry" | "skip" | "accept"> & { readonly wait: WaitId };

function answerEscalation(run: ActiveRun, command: EscalationAnswer, by: Person): Decision {
  const wait = openWait(run, command.wait, "escalation");
  if (wait === null) return notOpen(run);
  const option: EscalationOption = command.do;
  if (!wait.offered.includes(option)) return refuse({ why: "notOffered", valid: listWaitOptions(run, wait) });
  const { id, from, paths } = wait;
  if (command.do === "accept") {
    if (from === "baseline") return accept({ type: "baseline.settled", how: "known", by, wait: id });
    if (wait.reason === OWN_LINES) return accept({ type: "lines.included", wait: id, by, paths: [...paths] });
    return accept({ type: "tests.accepted", wait: id, tests: command.tests ?? null, by });
  }
  if (command.do === "retry") {
    const { limits, guidance } = command;
    const given = { ...(limits === undefined ? {} : { limits }), ...(guidance === undefined ? {} : { guidance }) };
    return accept({ type: "step.retried", wait: id, from, by, ...given });
  }
  return accept({ type: "step.skipped", wait: id, from, by }, ...(AFTER_SKIP[from]?.(run, by) ?? []));
}

const UNMEASURED: Sizing = {
  recommended: "standard",
  rationale: "The analysis could not be measured.",
  metrics: null,
  source: null,
};

function size(run: ActiveRun, command: CommandOf<"size">, by: Person): Decision {
  const wait = openWait(run, command.wait, "sizing");
  if (wait === null) return notOpen(run);
  const effective = command.choice === "accept" ? effectiveSizing(wait.sizing) : command.choice;
  return accept(...decideSizing(run, wait.sizing, { effective, by }));
}

/** Stages of a phase in progress, before it is accepted. */
const UNDER_WAY: ReadonlySet<Stage["is"]> = new Set([
  "entering",
  "producing",
  "checking",
  "reviewing",
  "completing",
  "produced",
  "rechecking",
]);

/** Restarts or skips the current phase in any stage before acceptance, and stops its execution. */
function inPhase(run: ActiveRun, event: EventDraft): Decision {
  if (!UNDER_WAY.has(run.stage.is)) return refuse({ why: "notInPhase" });
  return accept(...abandoned(run, "stopped by a person"), event);
}

/** Returns to an earlier phase, or to the start of the current one. */
function back(run: ActiveRun, command: CommandOf<"back">, by: Person): Decision {
  if (run.sealedAt !== null) return refuse({ why: "sealed" });
  if (isAdopted(run)) return refuse({ why: "nothingBefore" });
  const valid = phasesToGoBackTo(run).map(({ rule }) => rule.key);
  if (!valid.includes(command.to)) return refuse({ why: "notEarlier", valid });
  const { to, tree } = command;
  const guidance = guidanceText(command);
  const given = { ...(guidance.trim() === "" ? {} : { guidance }), ...pickComments(command) };
  return accept(...abandoned(run, "stopped by a person"), { type: "run.wentBack", to, by, tree, ...given });
}

/** True for adopted work. It has no earlier phase, and isdlc does not restore the files from before that work. */
const isAdopted = ({ phases }: ActiveRun): boolean => phases.some(({ rule }) => rule.adopts === true);

/** Lists phases the run has reached, without those dropped by sizing. */
export function phasesToGoBackTo(run: ActiveRun): readonly PhaseRecord[] {
  if (run.sealedAt !== null || !mayGoBack(run.stage) || isAdopted(run)) return [];
  return run.phases.slice(0, run.index + 1).filter((phase) => wasReached(phase) && !phase.dropped);
}

const pickComments = ({ comments = [] }: Partial<Guidance>): { comments?: ReviewComment[] } =>
  comments.length === 0 ? {} : { comments: [...comments] };

/** False once a way to finish was chosen, because a merge may be running. */
const mayGoBack = (stage: Stage): boolean =>
  stage.is === "finishing" ? stage.how === null : !NOT_UNDER_WAY.has(stage.is);

const NOT_UNDER_WAY: ReadonlySet<Stage["is"]> = new Set(["preparing", "baselining", "rewinding"]);

/** A skipped phase counts even without an attempt. */
const wasReached = ({ attempts, status }: PhaseRecord): boolean => attempts > 0 || status === "skipped";

/** Refuses a budget that is already spent or would be exceeded by the next execution. */
function raise(run: ActiveRun, command: CommandOf<"raise">, by: Person): Decision {
  const wait = openWait(run, command.wait, "budget");
  if (wait === null) return notOpen(run);
  const { budget } = command;
  const spent = spentBy(run);
  if (isSpent(spent, budget)) return refuse({ why: "budgetTooLow", spent: spentText(spent) });
  const { ahead } = wait;
  if (ahead !== undefined && wouldExceed(spent, ahead, budget))
    return refuse({ why: "budgetTooLow", spent: spentText(spent), ahead: aheadText(ahead, budget) });
  return accept({ type: "budget.raised", wait: wait.id, budget, by });
}

function revert(run: ActiveRun, command: CommandOf<"revert">, by: Person): Decision {
  const wait = openWait(run, command.wait, "gate");
  if (wait === null) return notOpen(run);
  const valid = listWaitOptions(run, wait);
  if (!valid.includes("revert")) return refuse({ why: "notOffered", valid });
  const { kept, tree } = command;
  return accept({ type: "writes.takenOut", wait: wait.id, by, paths: [...command.paths], kept, tree });
}

function finish(run: ActiveRun, command: CommandOf<"finish">, by: Person): Decision {
  const wait = openWait(run, command.wait, "finish");
  if (wait === null) return notOpen(run);
  if (!wait.offered.includes(command.how)) return refuse({ why: "notOffered", valid: wait.offered });
  if (run.sealedAt !== null && command.how === "discard") return refuse({ why: "sealed" });
  return accept({ type: "finish.chosen", how: command.how, by });
}

function openWait<K extends Wait["kind"]>(run: ActiveRun, id: string, kind: K): OpenWait<K> | null {
  const wait = run.wait;
  return wait !== null && wait.id === id && wait.kind === kind ? (wait as OpenWait<K>) : null; // `kind` was just compared
}

const notOpen = (run: ActiveRun): Decision => refuse({ why: "notOpen", open: run.wait?.id ?? null });
