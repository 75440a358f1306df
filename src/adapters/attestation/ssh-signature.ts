import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { inTemporaryFolder } from "../file-system/temporary-folder.ts";
import { passkeyIn } from "../passkeys/ssh-form.ts";
import type { Signature } from "./dsse.ts";
import { type KeygenResult, lastLine, runSshKeygen } from "./run-ssh-keygen.ts";

/** What signatures of statements are for, so that none of them passes for a signature of anything else. */
export const NAMESPACE = "attestation@isdlc";
/** A person may have to touch a key, or type a passphrase. */
const SIGN_WITHIN = 120_000; // milliseconds
const CHECK_WITHIN = 10_000; // milliseconds

/** A key as git's `user.signingkey` names it: a file, or the public key itself. */
export type SigningKey = { readonly is: "file"; readonly path: string } | { readonly is: "key"; readonly text: string };

/** Signs with the person's own key, or agent, or security key. */
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
    const keyid = sig === null ? null : keyOf(sig);
    if (sig === null || keyid === null)
      throw new ProblemError({ code: "SIGNING_FAILED", detail: `ssh-keygen: ${lastLine(result)}` });
    return { keyid, sig };
  });
}

export type SignatureReading =
  /** `signer` as the list of signers names them. */
  | { readonly is: "good"; readonly signer: string; readonly keyid: string }
  /** It fits, but its key is not on the list, or not for this purpose or this time. */
  | { readonly is: "stranger"; readonly why: string; readonly keyid: string }
  | { readonly is: "bad"; readonly why: string };

export type SignatureQuestion = {
  readonly bytes: Buffer;
  readonly signature: Signature;
  /** What it was made for. */
  readonly namespace: string;
  /** An allowed_signers file; null: nobody is known. */
  readonly signers: string | null;
  /** When the key had to be valid. */
  readonly at: string;
};

/** Judges a signature with ssh-keygen, as git does with those of commits. */
export function checkSshSignature(question: SignatureQuestion): Promise<SignatureReading> {
  const { bytes, signature, namespace, signers, at } = question;
  const keyid = keyOf(signature.sig);
  if (keyid === null) return Promise.resolve({ is: "bad", why: "the signature is not one of ssh-keygen" });
  if (keyid !== signature.keyid)
    return Promise.resolve({ is: "bad", why: "it names another key than the one it was signed with" });
  // ssh-keygen takes a passkey's signature without asking whether somebody was there.
  if (passkeyIn(signature.sig)?.isVerified === false)
    return Promise.resolve({ is: "bad", why: "the passkey did not verify who was there" });
  return inTemporaryFolder(async (folder) => {
    const file = join(folder, "signature");
    await writeFile(file, toArmor(signature.sig), { mode: 0o600 });
    const ask = (args: readonly string[]): Promise<KeygenResult> =>
      runSshKeygen({ args, input: bytes, environment: { TZ: "UTC0" }, timeLimit: CHECK_WITHIN });
    const when = ["-O", `verify-time=${at.slice(0, 19).replaceAll(/[-:T]/g, "")}`];
    const list = signers === null ? [] : ["-f", signers];
    const found = signers === null ? null : await ask(["-Y", "find-principals", ...list, "-s", file, ...when]);
    const names = found?.status === 0 ? found.stdout.split("\n").filter((line) => line !== "") : [];
    let last = found;
    for (const signer of names) {
      last = await ask(["-Y", "verify", ...list, "-I", signer, "-n", namespace, "-s", file, ...when]);
      if (last.status === 0) return { is: "good", signer, keyid };
    }
    const fits = await ask(["-Y", "check-novalidate", "-n", namespace, "-s", file]);
    if (fits.status !== 0) return { is: "bad", why: "the signature does not fit the statement" };
    return { is: "stranger", keyid, why: strangerText(last, keyid) };
  });
}

function strangerText(asked: KeygenResult | null, keyid: string): string {
  if (asked === null) return `nobody said whose key ${keyid} is`;
  const told = asked.stderr.split("\n").find((line) => /expired|not yet valid|namespace/.test(line));
  const why = told === undefined ? "it is not on the list of signers" : told.replaceAll(/\p{Cc}/gu, "").slice(0, 300);
  return `the key ${keyid} does not count: ${why}`;
}

const MAGIC = "SSHSIG";

/** The fingerprint of the key that a signature names, as ssh writes it; null when it is no signature. */
export function keyOf(sig: Buffer): string | null {
  const start = MAGIC.length + 4; // magic, version
  if (sig.toString("latin1", 0, MAGIC.length) !== MAGIC || sig.length < start + 4) return null;
  const length = sig.readUInt32BE(start);
  const key = sig.subarray(start + 4, start + 4 + length);
  if (length === 0 || key.length !== length) return null;
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
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

/** The person's agent and passphrase program are theirs to use; nothing of ours goes along. */
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
