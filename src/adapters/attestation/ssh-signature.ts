import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { inTemporaryFolder } from "../files/temporary-folder.ts";
import { passkeyIn } from "../identity/ssh-form.ts";
import type { Signature } from "./dsse.ts";
import { isValidSignature, parseSshsig } from "./sshsig.ts";
import { type KeygenResult, lastLine, runSshKeygen } from "./run-ssh-keygen.ts";

/** Purpose of statement signatures, to keep them from passing for any other signature. */
export const NAMESPACE = "attestation@isdlc";
/** The user may have to touch a key, or type a passphrase. */
const SIGN_WITHIN = 120_000; // milliseconds
const CHECK_WITHIN = 10_000; // milliseconds

/** Key as in git's `user.signingkey`: a file, or the public key itself. */
export type SigningKey = { readonly is: "file"; readonly path: string } | { readonly is: "key"; readonly text: string };

/** Signs with the user's own key, agent or security key. */
export function signWithSsh(bytes: Buffer, key: SigningKey): Promise<Signature> {
  return inTemporaryFolder(async (folder) => {
    const file = key.is === "file" ? key.path : join(folder, "key.pub");
    if (key.is === "key") await writeFile(file, `${key.text}\n`, { mode: 0o600 });
    const result = await runSshKeygen({
      args: ["-Y", "sign", "-n", NAMESPACE, "-f", file],
      input: bytes,
      environment: personalEnvironment(),
      timeLimit: SIGN_WITHIN,
    });
    const sig = result.status === 0 ? fromArmor(result.stdout) : null;
    const keyid = sig === null ? null : readSigningKey(sig);
    if (sig === null || keyid === null)
      throw new ProblemError({ code: "SIGNING_FAILED", detail: `ssh-keygen: ${lastLine(result)}` });
    return { keyid, sig };
  });
}

export type SignatureReading =
  /** Signature of a listed key, with all of its names in the list of signers. */
  | { readonly is: "good"; readonly signers: readonly string[]; readonly keyid: string }
  /** Valid signature of a key that is not listed, or not for this purpose or time. */
  | { readonly is: "stranger"; readonly why: string; readonly keyid: string }
  | BadSignature;
type BadSignature = { readonly is: "bad"; readonly why: string };

export type SignatureQuestion = {
  readonly bytes: Buffer;
  readonly signature: Signature;
  /** Purpose of the signature. */
  readonly namespace: string;
  /** Path of an allowed_signers file. Null if no keys are known. */
  readonly signers: string | null;
  /** Time at which the key must be valid. */
  readonly at: string;
  /** Answers of ssh-keygen so far, with the same list of signers. */
  readonly answers: KeygenAnswers;
};

/** By key, purpose and period in which the list of signers does not change: see `keyPeriod`. */
export type KeygenAnswers = Map<string, Promise<SignatureReading>>;

/**
 * Checks a signature. Its cryptography is checked in this process. ssh-keygen alone decides who the key belongs to, and
 * for which purpose and time. It answers once for each key, purpose and period: a signer can write any number of lines.
 */
export async function checkSshSignature(question: SignatureQuestion): Promise<SignatureReading> {
  const { namespace, signers } = question;
  const parsed = parseQuestioned(question);
  if (parsed.is === "bad") return parsed;
  const { key, keyid } = parsed;
  if (signers === null) return { is: "stranger", keyid, why: `the owner of the key ${keyid} is unknown` };
  const list = await readFile(signers, "latin1");
  // Certificates were refused above, so an authority in the list lists no key.
  if (!list.includes(key.toString("base64"))) return stranger(null, keyid);
  const asked = [keyid, namespace, keyPeriod(list, question.at)].join(" ");
  const earlier = await question.answers.get(asked);
  if (earlier !== undefined && earlier.is !== "bad") return earlier;
  const answer = askSshKeygen({ ...question, signers }, keyid);
  question.answers.set(asked, answer);
  return answer;
}

type ParsedKey = { readonly is: "key"; readonly key: Buffer; readonly keyid: string };

/** Returns the key of a signature whose cryptography is valid. */
function parseQuestioned({ bytes, signature, namespace }: SignatureQuestion): ParsedKey | BadSignature {
  const bad = (why: string): BadSignature => ({ is: "bad", why });
  const parsed = parseSshsig(signature.sig);
  const keyid = parsed === null ? null : fingerprint(parsed.key);
  if (parsed === null || keyid === null) return bad("the signature is not one of ssh-keygen");
  if (keyid !== signature.keyid) return bad("it names another key than the one it was signed with");
  // ssh-keygen does not check if the passkey verified the user.
  if (passkeyIn(signature.sig)?.isVerified === false) return bad("the passkey did not verify who was there");
  if (parsed.namespace !== namespace || !isValidSignature(bytes, parsed))
    return bad("the signature does not fit the statement");
  return { is: "key", key: parsed.key, keyid };
}

const TIME_OPTION = /valid-(?:after|before)/gi;
const TIME_VALUE = /valid-(?:after|before)="(\d{8}|\d{12}|\d{14})Z?"/gi;

/**
 * Names the period around a time in which no key of a list of signers starts or stops to be valid. It is the second
 * itself if a time in the list cannot be read.
 */
export function keyPeriod(list: string, at: string): string {
  const second = at.slice(0, 19).replaceAll(/[-:T]/g, "");
  const times = [...list.matchAll(TIME_VALUE)].map(([, time = ""]) => time.padEnd(14, "0"));
  if (times.length !== [...list.matchAll(TIME_OPTION)].length) return second;
  const before = times.filter((time) => time < second).length;
  return times.includes(second) ? second : `after ${before}`;
}

type ListedQuestion = SignatureQuestion & { readonly signers: string };

function askSshKeygen(question: ListedQuestion, keyid: string): Promise<SignatureReading> {
  const { bytes, signature, namespace, signers, at } = question;
  return inTemporaryFolder(async (folder) => {
    const file = join(folder, "signature");
    await writeFile(file, toArmor(signature.sig), { mode: 0o600 });
    const ask = (args: readonly string[]): Promise<KeygenResult> =>
      runSshKeygen({ args, input: bytes, environment: { TZ: "UTC0" }, timeLimit: CHECK_WITHIN });
    const when = ["-O", `verify-time=${at.slice(0, 19).replaceAll(/[-:T]/g, "")}`];
    const list = ["-f", signers, "-s", file, ...when];
    const found = await ask(["-Y", "find-principals", ...list]);
    const names = found.status === 0 ? found.stdout.split("\n").filter((line) => line !== "") : [];
    let last = found;
    const good: string[] = [];
    for (const signer of new Set(names)) {
      const answer = await ask(["-Y", "verify", "-I", signer, "-n", namespace, ...list]);
      if (answer.status === 0) good.push(signer);
      else last = answer;
    }
    if (good.length > 0) return { is: "good", signers: good, keyid };
    const fits = await ask(["-Y", "check-novalidate", "-n", namespace, "-s", file]);
    if (fits.status !== 0) return { is: "bad", why: "the signature does not fit the statement" };
    return stranger(last, keyid);
  });
}

function stranger(asked: KeygenResult | null, keyid: string): SignatureReading {
  const reason = asked?.stderr.split("\n").find((line) => /expired|not yet valid|namespace/.test(line));
  const why =
    reason === undefined ? "it is not on the list of signers" : reason.replaceAll(/\p{Cc}/gu, "").slice(0, 300);
  return { is: "stranger", keyid, why: `the key ${keyid} does not count: ${why}` };
}

/** Returns the fingerprint of the signing key in SSH's format. Null if the bytes are not a signature. */
export function readSigningKey(sig: Buffer): string | null {
  const parsed = parseSshsig(sig);
  return parsed === null ? null : fingerprint(parsed.key);
}

function fingerprint(key: Buffer): string | null {
  return key.length === 0 ? null : `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n?$/;

function fromArmor(text: string): Buffer | null {
  const body = ARMOR.exec(text)?.[1];
  return body === undefined ? null : Buffer.from(body, "base64");
}

function toArmor(sig: Buffer): string {
  const lines = sig.toString("base64").match(/.{1,70}/g) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----", ""].join("\n");
}

/** Passes the user's agent and passphrase program, and no variables of our own. */
function personalEnvironment(): NodeJS.ProcessEnv {
  const kept = [
    "HOME",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "SSH_ASKPASS_REQUIRE",
    "SSH_SK_PROVIDER",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "TERM",
    "SystemRoot",
  ];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}
