import type { EventDraft, GateChoice, Step } from "../../schema/event.ts";
import type { Person } from "../../schema/people.ts";
import { accept, type Decision, type PersonCommand, refuse } from "../command.ts";
import { optionsOf } from "../next.ts";
import { type ActiveRun, currentPhase, MAX_REDOS, type Wait } from "../run.ts";
import { leavePhase } from "./leave-phase.ts";

type Of<D extends PersonCommand["do"]> = Extract<PersonCommand, { do: D }>;
type Open<K extends Wait["kind"]> = Extract<Wait, { kind: K }>;

type Answers = { readonly [D in PersonCommand["do"]]: (run: ActiveRun, command: Of<D>, by: Person) => Decision };

/** A person's command on an open run. Agents are refused before; the type asks again. */
export function decidePerson(run: ActiveRun, command: PersonCommand): Decision {
  if (command.by.channel === "agent") return refuse({ why: "notAPerson" });
  const answer = answers[command.do] as (run: ActiveRun, command: PersonCommand, by: Person) => Decision; // keyed by the command just read
  return answer(run, command, command.by);
}

const answers: Answers = {
  continue: answerGate,
  review: answerGate,
  redo: answerGate,
  loosen,
  reply,
  retry: answerEscalation,
  skip: answerEscalation,
  acceptTests: answerEscalation,
  finish,
  cancel: (_run, { reason }, by) =>
    reason.trim() === "" ? refuse({ why: "reasonMissing" }) : accept({ type: "run.cancelled", by, reason }),
};

function answerGate(run: ActiveRun, command: Of<"continue" | "review" | "redo">, by: Person): Decision {
  const wait = openWait(run, command.wait, "gate");
  if (wait === null) return notOpen(run);
  const choice: GateChoice = command.do;
  if (choice === "review" && run.stage.is === "produced" && run.stage.pausedAt !== null)
    return refuse({ why: "alreadyPaused" });
  if (choice === "redo" && (currentPhase(run)?.redos ?? MAX_REDOS) >= MAX_REDOS)
    return refuse({ why: "redosSpent", limit: MAX_REDOS });
  const guidance = command.do === "redo" ? command.guidance : null;
  return accept({ type: "gate.answered", wait: wait.id, choice, by, guidance, shown: command.shown });
}

function loosen(run: ActiveRun, command: Of<"loosen">, by: Person): Decision {
  const wait = openWait(run, command.wait, "gate");
  if (wait === null) return notOpen(run);
  if (wait.loosened === null) return refuse({ why: "nothingLoosened" });
  return accept({ type: "supervision.loosened", wait: wait.id, supervision: wait.loosened, by });
}

function reply(run: ActiveRun, command: Of<"reply">, by: Person): Decision {
  const wait = openWait(run, command.wait, "questions");
  if (wait === null) return notOpen(run);
  const replied = new Set(command.replies.map((reply) => reply.id));
  if (!wait.questions.every((question) => replied.has(question.id))) return refuse({ why: "unanswered" });
  const known = new Set(wait.questions.map((question) => question.id));
  const replies = command.replies.filter((reply) => known.has(reply.id));
  return accept({ type: "questions.answered", wait: wait.id, by, replies });
}

/** What skipping means, by the step that failed. Steps that are missing cannot be skipped. */
const AFTER_SKIP: { readonly [S in Step]?: (run: ActiveRun, by: Person) => readonly EventDraft[] } = {
  enter: (_run, by) => [{ type: "phase.skipped", by }],
  produce: (_run, by) => [{ type: "phase.skipped", by }],
  check: (_run, by) => [{ type: "phase.skipped", by }],
  review: (_run, by) => [{ type: "phase.skipped", by }],
  commit: (run) => [{ type: "phase.committed", commit: null }, ...leavePhase(run)],
  finish: () => [{ type: "run.finished", how: "keep", merged: null }],
};

export const skippable = (step: Step): boolean => AFTER_SKIP[step] !== undefined;

function answerEscalation(run: ActiveRun, command: Of<"retry" | "skip" | "acceptTests">, by: Person): Decision {
  const wait = openWait(run, command.wait, "escalation");
  if (wait === null) return notOpen(run);
  const option = command.do === "acceptTests" ? "accept" : command.do;
  if (!wait.offered.includes(option)) return refuse({ why: "notOffered", valid: optionsOf(run, wait) });
  const { id, from } = wait;
  if (command.do === "acceptTests") return accept({ type: "tests.accepted", wait: id, tests: command.tests, by });
  if (command.do === "retry") return accept({ type: "step.retried", wait: id, from, by });
  return accept({ type: "step.skipped", wait: id, from, by }, ...(AFTER_SKIP[from]?.(run, by) ?? []));
}

function finish(run: ActiveRun, command: Of<"finish">, by: Person): Decision {
  const wait = openWait(run, command.wait, "finish");
  if (wait === null) return notOpen(run);
  if (!wait.offered.includes(command.how)) return refuse({ why: "notOffered", valid: wait.offered });
  return accept({ type: "finish.chosen", how: command.how, by });
}

function openWait<K extends Wait["kind"]>(run: ActiveRun, id: string, kind: K): Open<K> | null {
  const wait = run.wait;
  return wait !== null && wait.id === id && wait.kind === kind ? (wait as Open<K>) : null; // kind was just compared
}

const notOpen = (run: ActiveRun): Decision => refuse({ why: "notOpen", open: run.wait?.id ?? null });
