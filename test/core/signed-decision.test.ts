import { describe, expect, test } from "vitest";
import { findSignatures } from "../../src/core/attestation/find-signatures.ts";
import { signedFacts } from "../../src/core/attestation/signed-decision.ts";
import type { PersonCommand } from "../../src/core/command.ts";
import type { PasskeySignature } from "../../src/schema/passkey.ts";
import type { Person } from "../../src/schema/people.ts";
import { accepted, ada, advance, openWait, type Player, shownAt, startRun } from "../support/run-builder.ts";
import { supervised, why } from "./supervised-run.ts";

const RUN = "20260105-101500123-k3f9";
const key = { id: "key", publicKey: "cose" };
const signer: Person = { name: "ada", channel: "passkey" };

const demanding = (): Player => advance(startRun({ ...supervised, passkeys: [key] }), "gate");

/** The statement contains the user's text as a digest. */
const signatureOf = (
  { text, comments, replies, ...said }: Readonly<Record<string, unknown>>,
  passkey = "key",
): PasskeySignature => ({
  passkey,
  statement: JSON.stringify({ ...said, words: "digest" }),
  words: JSON.stringify({ text, comments, replies }),
  clientData: "c",
  authenticatorData: "a",
  bytes: "s",
});

/** The statement to sign and the command to record, for the open gate. */
function atHand(player: Player) {
  const open = openWait(player);
  const [wait, shown] = [open.id, shownAt(open)];
  const said = { run: RUN, wait, shown, option: "continue", text: "", comments: [], replies: [] };
  const command = (signature?: PasskeySignature): PersonCommand => ({
    do: "continue",
    by: signer,
    wait,
    shown,
    ...(signature === undefined ? {} : { signature }),
  });
  return { said, command };
}

describe("run that requires a passkey", () => {
  test("refuses unsigned answers from every channel and accepts a signed one", () => {
    const player = demanding();
    const { said, command } = atHand(player);
    for (const channel of ["terminal", "token", "dashboard", "prompt", "form", "passkey"] as const)
      expect(why(player, { ...command(), by: { name: "ada", channel } })).toBe("notSigned");
    expect(why(player, { do: "cancel", by: ada, reason: "enough" })).toBe("notSigned");
    expect(why(player, command(signatureOf(said, "other")))).toBe("passkeyUnknown");
    expect(accepted(player, command(signatureOf(said)))).toEqual(["decision.signed", "gate.answered"]);
    expect(findSignatures(player.events, [])).toMatchObject({ signatures: [{ key }], wrong: [] });
  });

  test("reports a signature by a registered passkey that the run does not name", () => {
    const player = demanding();
    const { said, command } = atHand(player);
    accepted(player, command(signatureOf(said)));
    const events = player.events.map((event) =>
      event.type === "decision.signed" ? { ...event, signature: { ...event.signature, passkey: "other" } } : event,
    );
    const other = { id: "other", publicKey: "cose" };
    const detail = "signed with passkey other, which may not decide in this run";
    expect(findSignatures(events, [other])).toMatchObject({ signatures: [{ key: other }], wrong: [{ detail }] });
  });

  test.for([
    ["run", "20260105-101500123-aaaa"],
    ["wait", "03-architecture#9/gate-1"],
    ["shown", "something else"],
    ["option", "redo"],
  ])("refuses a signature for a different %s", ([what, value]) => {
    const player = demanding();
    const { said, command } = atHand(player);
    expect(why(player, command(signatureOf({ ...said, [what ?? ""]: value })))).toBe("notAsSigned");
    expect(why(player, command({ ...signatureOf(said), statement: "{" }))).toBe("notAsSigned");
  });

  test("accepts a redo only with the signed guidance and comments", () => {
    const player = demanding();
    const { said } = atHand(player);
    const comments = [{ id: "C1", place: null, text: "Shorter", suggestion: null }];
    const { wait, shown } = said;
    const redo = { do: "redo", by: signer, wait, shown, guidance: "Again", comments } as const;
    const signed = { ...said, option: "redo", text: "Again", comments };
    expect(why(player, { ...redo, signature: signatureOf({ ...signed, text: "Once more" }) })).toBe("notAsSigned");
    expect(why(player, { ...redo, signature: signatureOf({ ...signed, comments: [] }) })).toBe("notAsSigned");
    expect(why(player, { ...redo, signature: signatureOf(signed) })).toBe("accepted");
  });

  test("accepts other channels after its last passkey was removed, and records the removal", () => {
    const player = demanding();
    const { command } = atHand(player);
    const lost = { do: "removePasskey", passkey: "key", reason: "lost", by: ada } as const;
    expect(why(player, { ...lost, passkey: "other" })).toBe("passkeyUnknown");
    expect(accepted(player, lost)).toEqual(["passkey.removed"]);
    expect(accepted(player, { ...command(), by: ada })).toEqual(["gate.answered"]);
    expect(findSignatures(player.events, [])).toEqual({ signatures: [], wrong: [] });
  });
});

describe("signatures of a journal", () => {
  test("reports unsigned decisions, signatures of other statements and reused signatures", () => {
    const player = demanding();
    const { said, command } = atHand(player);
    accepted(player, command(signatureOf(said)));
    const [signed, answered] = player.events.slice(-2);
    if (signed?.type !== "decision.signed" || answered?.type !== "gate.answered") throw new Error("not signed");
    const before = player.events.slice(0, -2);
    const later = { at: "2026-01-05T11:00:00.000Z" };
    const wrongIn = (...events: typeof player.events) =>
      findSignatures([...before, ...events], []).wrong.map(({ detail }) => detail);
    expect(wrongIn(answered)).toEqual(["decided by ada (passkey) without a signature"]);
    expect(wrongIn(signed, { ...answered, choice: "redo" })).toEqual(["the signature covers another decision"]);
    expect(wrongIn(signed, answered, signed, { ...answered, ...later })).toEqual([
      "the same signature was used before",
    ]);
    expect(wrongIn({ ...signed, signature: { ...signed.signature, passkey: "foreign" } }, answered)).toEqual([
      "passkey foreign is not known here",
      "signed with passkey foreign, which may not decide in this run",
    ]);
  });
});

describe("files and start of a signed decision", () => {
  /** Errors of a journal whose gate was answered with these facts in the signed statement. */
  const wrongWith = (facts: object): readonly string[] => {
    const player = demanding();
    const { said, command } = atHand(player);
    accepted(player, command(signatureOf({ ...said, ...facts })));
    return findSignatures(player.events, []).wrong.map(({ detail }) => detail);
  };

  test.for<[string, object, string[]]>([
    ["accepts those of the run", {}, []],
    ["accepts a statement from before they were signed", { start: undefined, tree: undefined }, []],
    ["rejects another start", { start: "1".repeat(40) }, ["signed for a run that started at another commit"]],
    ["rejects a missing start", { start: null }, ["signed for a run that started at another commit"]],
    ["rejects other files", { tree: "1".repeat(40) }, ["signed for other files than were shown"]],
  ])("%s", ([, facts, wrong]) => {
    const player = demanding();
    const { start, tree } = signedFacts(RUN, player.state);
    expect(start).not.toBeNull();
    expect(wrongWith({ start, tree, ...facts })).toEqual(wrong);
  });
});

describe("key included with its signature", () => {
  const vouched = { ...key, relyingParty: "isdlc.example.org" };

  test("is accepted in a run without passkeys if its id matches the signature", () => {
    const player = advance(startRun(supervised), "gate");
    const { said, command } = atHand(player);
    expect(accepted(player, command({ ...signatureOf(said), key: vouched }))).toEqual([
      "decision.signed",
      "gate.answered",
    ]);
    expect(findSignatures(player.events, [])).toMatchObject({ signatures: [{ key: vouched }], wrong: [] });
  });

  test("is refused for another passkey and in a run with its own passkeys", () => {
    const other = advance(startRun(supervised), "gate");
    const { said, command } = atHand(other);
    accepted(other, command({ ...signatureOf(said), key: { ...vouched, id: "another" } }));
    expect(findSignatures(other.events, []).wrong).toMatchObject([{ detail: "passkey key is not known here" }]);
    const player = demanding();
    const foreign = { ...signatureOf(atHand(player).said, "foreign"), key: { ...vouched, id: "foreign" } };
    expect(why(player, atHand(player).command(foreign))).toBe("passkeyUnknown");
  });
});
