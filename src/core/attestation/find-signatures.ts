import type { RunEvent } from "../../schema/event.ts";
import type { PasskeyKey, PasskeySignature } from "../../schema/passkey.ts";
import { evolve } from "../evolve/evolve.ts";
import { noRun, type RunState } from "../run.ts";
import { isAsSigned, isDecision, otherFacts, signedFacts } from "./signed-decision.ts";

/** A signature to verify cryptographically. */
export type Signature = { readonly seq: number; readonly signature: PasskeySignature; readonly key: PasskeyKey };

export type FoundSignatures = {
  readonly signatures: readonly Signature[];
  /** Errors found without cryptography: decisions without a required signature, and signatures of something else. */
  readonly wrong: readonly { readonly seq: number; readonly detail: string }[];
};

type SignatureWalk = {
  demanded: readonly PasskeyKey[];
  signed: { readonly seq: number; readonly signature: PasskeySignature } | null;
  /** Time of the last decision; events recorded with it have the same time. */
  decidedAt: string | null;
  readonly used: Set<string>;
  /** State before the current event. */
  state: RunState;
};

/** Finds signed decisions in a journal. `registered`: keys to verify with, in addition to those of the run. */
export function findSignatures(events: readonly RunEvent[], registered: readonly PasskeyKey[]): FoundSignatures {
  const signatures: Signature[] = [];
  const wrong: { seq: number; detail: string }[] = [];
  const started = events.find((event) => event.type === "run.started");
  const walk: SignatureWalk = {
    demanded: started?.passkeys ?? [],
    signed: null,
    decidedAt: null,
    used: new Set(),
    state: noRun,
  };
  const keys = [...walk.demanded, ...registered];
  for (const event of events) {
    if (event.type === "decision.signed") {
      const { seq, signature } = event;
      walk.signed = { seq, signature };
      const key = keys.find(({ id }) => id === signature.passkey) ?? vouchedKey(signature, started?.passkeys);
      if (key === undefined) wrong.push({ seq, detail: `passkey ${signature.passkey} is not known here` });
      else signatures.push({ seq, signature, key });
    }
    const detail = started === undefined ? null : wrongWith(event, started.run, walk);
    if (detail !== null) wrong.push({ seq: event.seq, detail });
    walk.state = evolve(walk.state, event);
  }
  return { signatures, wrong };
}

/** Returns the key contained in the signature, unless the run names its keys. */
function vouchedKey(
  { passkey, key }: PasskeySignature,
  demanded: readonly PasskeyKey[] | undefined,
): PasskeyKey | undefined {
  return demanded === undefined && key?.id === passkey ? key : undefined;
}

function wrongWith(event: RunEvent, run: string, walk: SignatureWalk): string | null {
  const detail = wrongDecision(event, run, walk);
  if (event.type === "passkey.removed") walk.demanded = walk.demanded.filter(({ id }) => id !== event.passkey);
  return detail;
}

function wrongDecision(event: RunEvent, run: string, walk: SignatureWalk): string | null {
  if (!isDecision(event) || !("by" in event) || typeof event.by === "string") return null;
  const { signed, demanded } = walk;
  walk.signed = null;
  if (signed === null && event.at === walk.decidedAt) return null;
  walk.decidedAt = event.at;
  if (signed === null)
    return demanded.length === 0 ? null : `decided by ${event.by.name} (${event.by.channel}) without a signature`;
  return wrongSignature(signed.signature, walk, { event, run });
}

type SignedEvent = { readonly event: RunEvent; readonly run: string };

function wrongSignature(signature: PasskeySignature, walk: SignatureWalk, { event, run }: SignedEvent): string | null {
  const { passkey, statement } = signature;
  const { demanded } = walk;
  if (demanded.length > 0 && !demanded.some(({ id }) => id === passkey))
    return `signed with passkey ${passkey}, which may not decide in this run`;
  if (!isAsSigned(signature, run, event)) return "the signature covers another decision";
  const other = otherFacts(statement, signedFacts(run, walk.state), event);
  if (other !== null) return other;
  if (walk.used.has(statement)) return "the same signature was used before";
  walk.used.add(statement);
  return null;
}
