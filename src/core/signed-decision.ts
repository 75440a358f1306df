import type { EventDraft } from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";
import type { PasskeyKey, PasskeySignature } from "../schema/passkey.ts";
import { guidanceText, type Refusal } from "./command.ts";
import { isRecord, ownValue } from "./own-value.ts";

/** The passkeys that alone may decide; empty where other channels may as well. */
export type PasskeyDemand = { readonly run: RunId; readonly passkeys?: readonly PasskeyKey[] | undefined };

/** Why a signature does not stand for a decision; null where it does. */
export function signatureRefusal(
  { run, passkeys = [] }: PasskeyDemand,
  signature: PasskeySignature,
  events: readonly EventDraft[],
): Refusal | null {
  if (passkeys.length > 0 && !passkeys.some(({ id }) => id === signature.passkey)) return { why: "passkeyUnknown" };
  const decision = events.find(isDecision);
  return decision !== undefined && isAsSigned(signature, run, decision) ? null : { why: "notAsSigned" };
}

/** What a person decided, as it is recorded; what follows from it is not signed again. */
export const isDecision = (event: EventDraft): boolean => Object.hasOwn(SAYS, event.type);

/** True where the statement, with the words behind it, says what the event records. */
export function isAsSigned({ statement, words }: SignedWords, run: RunId, event: EventDraft): boolean {
  const said = { ...parsed(words), ...parsed(statement) }; // what is signed itself comes last: words cannot replace it
  const says = SAYS[event.type] as ((event: EventDraft) => DecisionFields) | undefined; // keyed by the type just read
  if (says === undefined || ownValue(said, "run") !== run) return false;
  if ("wait" in event && ownValue(said, "wait") !== event.wait) return false;
  const { options, ...values } = says(event);
  const option = ownValue(said, "option");
  if (typeof option !== "string" || !options.includes(option)) return false;
  return isGuided(said, event) && Object.entries(values).every(([key, value]) => isSame(ownValue(said, key), value));
}

type SignedWords = Pick<PasskeySignature, "statement" | "words">;

/** The options that lead to an event, and what else the statement has to say. */
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

/** The guidance that the agent gets is made of the person's words and comments. */
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
