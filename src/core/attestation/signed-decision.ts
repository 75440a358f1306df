import type { EventDraft } from "../../schema/event.ts";
import type { RunId, CommitId, TreeId } from "../../schema/ids.ts";
import type { PasskeyKey, PasskeySignature } from "../../schema/passkey.ts";
import { guidanceText, type Refusal } from "../command.ts";
import { isRecord, ownValue } from "../own-value.ts";
import { approvedTree } from "./evidence.ts";
import { currentPhase, type RunState } from "../run.ts";

/** Passkeys required for decisions; empty if other channels may decide too. */
export type PasskeyDemand = { readonly run: RunId; readonly passkeys?: readonly PasskeyKey[] | undefined };

/** Returns why a signature does not cover a decision; null if it does. */
export function signatureRefusal(
  { run, passkeys = [] }: PasskeyDemand,
  signature: PasskeySignature,
  events: readonly EventDraft[],
): Refusal | null {
  if (passkeys.length > 0 && !passkeys.some(({ id }) => id === signature.passkey)) return { why: "passkeyUnknown" };
  const decision = events.find(isDecision);
  return decision !== undefined && isAsSigned(signature, run, decision) ? null : { why: "notAsSigned" };
}

/** True for events that record a person's decision. Events that follow from it are not signed again. */
export const isDecision = (event: EventDraft): boolean => Object.hasOwn(SAYS, event.type);

/** True if the signed statement, with its words, matches the recorded event. */
export function isAsSigned({ statement, words }: SignedWords, run: RunId, event: EventDraft): boolean {
  const said = { ...parsed(words), ...parsed(statement) }; // the signed statement comes last: words cannot replace its values
  const says = SAYS[event.type] as ((event: EventDraft) => DecisionFields) | undefined; // keyed by `event.type`
  if (says === undefined || ownValue(said, "run") !== run) return false;
  if ("wait" in event && ownValue(said, "wait") !== event.wait) return false;
  const { options, ...values } = says(event);
  const option = ownValue(said, "option");
  if (typeof option !== "string" || !options.includes(option)) return false;
  return isGuided(said, event) && Object.entries(values).every(([key, value]) => isSame(ownValue(said, key), value));
}

type SignedWords = Pick<PasskeySignature, "statement" | "words">;

/** Options that lead to an event, and other values required in the statement. */
type DecisionFields = { readonly options: readonly string[]; readonly [key: string]: unknown };
type Says = { readonly [T in EventDraft["type"]]?: (event: Extract<EventDraft, { type: T }>) => DecisionFields };

const only = (option: string) => (): DecisionFields => ({ options: [option] });

const SAYS: Says = {
  "gate.answered": ({ choice, shown, comments = [] }) => ({
    options: [choice],
    shown,
    ...(choice === "redo" ? { comments } : {}),
  }),
  "supervision.loosened": only("loosen"),
  "writes.takenOut": only("revert"),
  "questions.answered": ({ replies }) => ({ options: ["answer"], replies }),
  "step.retried": only("retry"),
  "step.skipped": only("skip"),
  "tests.accepted": only("accept"),
  "sizing.decided": ({ effective }) => ({ options: ["accept", effective] }),
  "budget.raised": only("raise"),
  "finish.chosen": ({ how }) => ({ options: [how] }),
  "run.wentBack": ({ comments = [] }) => ({ options: ["back"], comments }),
  "phase.restarted": only("retry"),
  "phase.skipped": only("skip"),
  "run.cancelled": ({ reason }) => ({ options: ["cancel"], text: reason }),
};

/** The agent's guidance must be built from the signed text and comments. */
function isGuided(said: unknown, event: EventDraft): boolean {
  if (event.type !== "run.wentBack" && !(event.type === "gate.answered" && event.choice === "redo")) return true;
  const words = ownValue(said, "text");
  if (typeof words !== "string") return false;
  return guidanceText({ guidance: words, comments: event.comments ?? [] }) === (event.guidance ?? "");
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Facts in every signed decision besides the answer: a signature for other files or another run is invalid. */
export type SignedFacts = {
  readonly run: RunId;
  /** Commit at which the run started; null without git. */
  readonly start: CommitId | null;
  /** Tree that accepting the current phase would commit. */
  readonly tree: TreeId | null;
};

/**
 * Returns how the facts of a journal differ from those signed with a decision; null if they agree, or if the statement
 * is of the time before these facts were signed. The tree is compared at gates alone: other decisions do not stop the
 * run while the user signs.
 */
export function otherFacts(statement: string, { start, tree }: SignedFacts, event: EventDraft): string | null {
  const said = parsed(statement);
  const differs = (key: string, value: unknown): boolean => Object.hasOwn(said, key) && said[key] !== value;
  if (differs("start", start)) return "signed for a run that started at another commit";
  return event.type === "gate.answered" && differs("tree", tree) ? "signed for other files than were shown" : null;
}

export function signedFacts(run: RunId, state: RunState): SignedFacts {
  const phase = state.is === "active" ? currentPhase(state) : undefined;
  return {
    run,
    start: state.is === "none" ? null : (state.run.git?.commit ?? null),
    tree: approvedTree(phase?.made ?? null),
  };
}
