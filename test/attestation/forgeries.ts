import { execFileSync } from "node:child_process";
import { encodeEnvelope, ENVELOPE_LIMIT, readEnvelope, signedBytes } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import { signWithSsh } from "../../src/adapters/attestation/ssh-signature.ts";
import type { RunPredicate, RunStatement } from "../../src/schema/attestation.ts";
import { createStudio } from "./studio.ts";

export const studio = createStudio();
const [first, second] = studio.made;
const { statement, keys } = studio;

const withPredicate = (change: Partial<RunPredicate>): RunStatement => ({
  ...statement,
  predicate: { ...statement.predicate, ...change },
});

/** An altered payload with the old signature. */
async function altered(change: RunStatement | ((text: string) => string)): Promise<string> {
  const reading = readEnvelope(await studio.sign(statement));
  if (reading.is === "refused") throw new Error(reading.why);
  const { payload, signatures } = reading.envelope;
  const other = typeof change === "function" ? Buffer.from(change(payload.toString("utf8"))) : encodeStatement(change);
  if (other.equals(payload)) throw new Error("nothing was changed");
  return encodeEnvelope({ payload: other, signatures });
}

export type Forgery = {
  readonly name: string;
  readonly line: () => Promise<string> | string;
  readonly why: RegExp;
  readonly signers?: () => string;
};

const onPhase = (change: Partial<RunPredicate["phases"][number]>): RunStatement =>
  withPredicate({ phases: statement.predicate.phases.map((phase) => ({ ...phase, ...change })) });
const gate = statement.predicate.phases[0]?.gates[0];
if (gate === undefined) throw new Error("the statement has no gate");
const parsedEnvelope = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await studio.sign(statement)) as Record<string, unknown>;

const other = studio.commit(studio.start.commit, "another branch\n");
/** A consistent statement about other commits. */
function about(subject: RunStatement["subject"]): RunStatement {
  const { predicate } = statement;
  const chain = [studio.start.commit, ...subject.map(({ digest }) => digest.gitCommit)];
  const states = subject.map((_, index) => ({ is: "phase" as const, parents: [chain[index] ?? ""] }));
  const phases = predicate.phases.map((phase) => ({ ...phase, commit: null }));
  return { ...statement, subject, predicate: { ...predicate, phases, states } };
}
const named = (name: string, { commit, tree }: { commit: string; tree: string }) => ({
  name,
  digest: { gitCommit: commit, gitTree: tree },
});
const FITS_NOT = /the signature does not fit the statement/;

/** All known ways to forge a signed statement, each with the expected reason. */
export const forgeries: readonly Forgery[] = [
  {
    name: "signed with an unlisted key",
    line: () => studio.sign(statement, keys.mallory),
    why: /not on the list of signers/,
  },
  {
    name: "missing list of signers",
    line: () => studio.sign(statement),
    signers: () => studio.signers("empty"),
    why: /not on the list/,
  },
  {
    name: "signer that was expired at signing",
    line: () => studio.sign(statement),
    signers: () => studio.signers("expired", `ada@example.org valid-before="20261031Z" ${keys.ada.public}`),
    why: /does not count: .*expired/,
  },
  {
    name: "signer that was not valid yet",
    line: () => studio.sign(statement),
    signers: () => studio.signers("early", `ada@example.org valid-after="20261102Z" ${keys.ada.public}`),
    why: /does not count: .*not yet valid/,
  },
  {
    name: "signer listed for git's commits only",
    line: () => studio.sign(statement),
    signers: () => studio.signers("namespaced", `ada@example.org namespaces="git" ${keys.ada.public}`),
    why: /does not count/,
  },
  { name: "signature that was made for something else", line: () => signedForGit(), why: FITS_NOT },
  {
    name: "commit changed after it was signed",
    line: () => altered(about([named("x", other), named("y", second)])),
    why: FITS_NOT,
  },
  {
    name: "tree changed after it was signed",
    line: () => altered((text) => text.replaceAll(second.tree, other.tree)),
    why: FITS_NOT,
  },
  {
    name: "gate's answer changed",
    line: () => altered(onPhase({ gates: [{ ...gate, decision: "redo" }] })),
    why: FITS_NOT,
  },
  {
    name: "gate's person changed",
    line: () => altered(onPhase({ gates: [{ ...gate, by: { name: "Ben", channel: "passkey" } }] })),
    why: FITS_NOT,
  },
  {
    name: "gate's time changed",
    line: () => altered(onPhase({ gates: [{ ...gate, at: "2026-11-01T10:39:00.000Z" }] })),
    why: FITS_NOT,
  },
  {
    name: "changed summary digest",
    line: () => altered(onPhase({ gates: [{ ...gate, shown: "0".repeat(64) }] })),
    why: FITS_NOT,
  },
  {
    name: "check turned from failed to passed",
    line: () => altered(onPhase({ checks: [{ name: "tests", ok: null, counts: null, ranAs: null }] })),
    why: FITS_NOT,
  },
  {
    name: "journal's head changed",
    line: () => altered(withPredicate({ journal: { seq: 49, hash: "0".repeat(64) } })),
    why: FITS_NOT,
  },
  { name: "subjects swapped", line: () => altered(about([named("x", second), named("y", first)])), why: FITS_NOT },
  {
    name: "signature of another statement",
    line: async () => {
      const reading = readEnvelope(await studio.sign(withPredicate({ workflow: "fix" })));
      if (reading.is === "refused") throw new Error(reading.why);
      return encodeEnvelope({ payload: encodeStatement(statement), signatures: reading.envelope.signatures });
    },
    why: FITS_NOT,
  },
  {
    name: "statement of another branch",
    line: () => studio.sign(about([named("x", other)])),
    why: /no statement covers it/,
  },
  {
    name: "true statement about an earlier commit, replayed for a later one",
    line: () => studio.sign(about([named("x", first)])),
    why: /is not approved/,
  },
  {
    name: "note of another repository",
    line: () => studio.sign(about([named("x", { commit: "1".repeat(40), tree: "2".repeat(40) })])),
    why: /no statement covers it/,
  },
  {
    name: "valid signature over a tree missing in the commit",
    line: () => studio.sign(about([named("x", first), named("y", { ...second, tree: other.tree })])),
    why: /contradicts the repository/,
  },
  {
    name: "signed in the future",
    line: () => studio.sign(withPredicate({ signedAt: "2126-01-01T00:00:00.000Z" })),
    why: /signed in the future/,
  },
  {
    name: "dated before the commit",
    line: () =>
      studio.sign(withPredicate({ signedAt: "2026-11-01T10:50:00.000Z", endedAt: "2026-11-01T10:49:00.000Z" })),
    why: /contradicts the repository/,
  },
  {
    name: "signed before the run ended",
    line: () => studio.sign(withPredicate({ endedAt: "2026-11-01T12:00:00.000Z" })),
    why: /signed before the run started, ended/,
  },
  {
    name: "commit listed as made and as not made",
    line: () => studio.sign(withPredicate({ git: { ...statement.predicate.git, others: [second] } })),
    why: /as made and as not made/,
  },
  {
    name: "commit listed twice",
    line: () => studio.sign(about([named("x", second), named("y", second)])),
    why: /names a commit twice/,
  },
  { name: "truncated", line: async () => (await studio.sign(statement)).slice(0, -40), why: /or is cut off/ },
  {
    name: "truncated and closed",
    line: async () => `${(await studio.sign(statement)).slice(0, -40)}"}]}`,
    why: /not written the one way|signature/,
  },
  {
    name: "keys of the envelope repeated",
    line: async () => (await studio.sign(statement)).replace("{", '{"payload":"e30=",'),
    why: /not written the one way/,
  },
  {
    name: "keys of the statement repeated, with a valid signature",
    line: () => studio.sign(Buffer.from(encodeStatement(statement).toString().replace("{", '{"_type":"x",'))),
    why: /repeated keys/,
  },
  {
    name: "unsigned field added to the envelope",
    line: async () => JSON.stringify({ ...(await parsedEnvelope()), approved: true }),
    why: /not written the one way/,
  },
  {
    name: "non-canonical base64",
    line: async () => (await studio.sign(statement)).replace(/"payload":"(.)/, '"payload":"\\n$1'),
    why: /not written the one way/,
  },
  { name: "huge", line: () => JSON.stringify({ payload: "a".repeat(ENVELOPE_LIMIT) }), why: /longer than/ },
  {
    name: "no signature",
    line: async () => JSON.stringify({ ...(await parsedEnvelope()), signatures: [] }),
    why: /no signatures that can be read/,
  },
  {
    name: "invalid signature",
    line: () =>
      encodeEnvelope({
        payload: encodeStatement(statement),
        signatures: [{ keyid: "SHA256:x", sig: Buffer.from("yes") }],
      }),
    why: /not one of ssh-keygen/,
  },
  {
    name: "name of another key",
    line: async () => (await studio.sign(statement)).replace(/"keyid":"SHA256:..../, '"keyid":"SHA256:AAAA'),
    why: /names another key/,
  },
  {
    name: "own signature that claims to be of a listed key",
    line: () => claimedKey(),
    why: /names another key|does not fit/,
  },
  { name: "good signature next to a bad one", line: () => twoSignatures(), why: FITS_NOT },
  {
    name: "predicate of another version",
    line: () => studio.sign(encodeText({ ...statement, predicateType: "urn:isdlc:attestation:run:v2" })),
    why: /v2", which this version does not know/,
  },
  {
    name: "statement of another version",
    line: () => studio.sign(encodeText({ ...statement, _type: "https://in-toto.io/Statement/v0.1" })),
    why: /not an in-toto statement of version 1/,
  },
  {
    name: "payload of another type",
    line: async () => JSON.stringify({ ...(await parsedEnvelope()), payloadType: "text/plain" }),
    why: /not an in-toto statement/,
  },
  {
    name: "predicate without its gates",
    line: () => studio.sign(encodeText({ ...statement, predicate: { run: statement.predicate.run } })),
    why: /a field has a wrong value/,
  },
  {
    name: "nested too deeply",
    line: () => studio.sign(Buffer.from(`{"_type":${"[".repeat(200_000)}${"]".repeat(200_000)}}`)),
    why: /nested too deeply/,
  },
  {
    name: "prototype instead of fields",
    line: () => studio.sign(Buffer.from('{"__proto__":{"_type":"https://in-toto.io/Statement/v1"}}')),
    why: /not an in-toto statement/,
  },
];

const encodeText = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Ada signs these bytes like a commit, in git's own namespace. */
function signedForGit(): string {
  const payload = encodeStatement(statement);
  const armored = execFileSync("ssh-keygen", ["-Y", "sign", "-n", "git", "-f", keys.ada.file], {
    input: signedBytes(payload),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const sig = Buffer.from(armored.toString().replaceAll(/-----.*-----|\n/g, ""), "base64");
  const fingerprint =
    execFileSync("ssh-keygen", ["-l", "-f", `${keys.ada.file}.pub`], { encoding: "utf8" }).split(" ")[1] ?? "";
  return encodeEnvelope({ payload, signatures: [{ keyid: fingerprint, sig }] });
}

async function claimedKey(): Promise<string> {
  const [ours, theirs] = [await studio.sign(statement), await studio.sign(statement, keys.mallory)].map((line) =>
    readEnvelope(line),
  );
  if (ours?.is !== "envelope" || theirs?.is !== "envelope") throw new Error("not signed");
  const [good, bad] = [ours.envelope.signatures[0], theirs.envelope.signatures[0]];
  if (good === undefined || bad === undefined) throw new Error("not signed");
  return encodeEnvelope({ ...theirs.envelope, signatures: [{ keyid: good.keyid, sig: bad.sig }] });
}

async function twoSignatures(): Promise<string> {
  const payload = encodeStatement(statement);
  const good = await signWithSsh(signedBytes(payload), { is: "file", path: keys.ada.file });
  const bad = await signWithSsh(Buffer.from("something else"), { is: "file", path: keys.ben.file });
  return encodeEnvelope({ payload, signatures: [good, bad] });
}
