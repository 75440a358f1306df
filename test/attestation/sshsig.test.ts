import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { encodeEnvelope } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import { readSigningKey, NAMESPACE, signWithSsh } from "../../src/adapters/attestation/ssh-signature.ts";
import { isValidSignature, parseSshsig } from "../../src/adapters/attestation/sshsig.ts";
import { removeTemporary } from "../support/remove-temporary.ts";
import { makeKey } from "./keys.ts";
import { passkeySignature } from "./passkeys.ts";
import { createStudio } from "./studio.ts";

const base = mkdtempSync(join(tmpdir(), "isdlc-sshsig-"));
afterAll(() => removeTemporary(base));
const message = Buffer.from("a statement");

const fits = (bytes: Buffer, sig: Buffer): boolean => {
  const parsed = parseSshsig(sig);
  return parsed !== null && isValidSignature(bytes, parsed);
};

/** The result of ssh-keygen. */
function keygenFits(bytes: Buffer, sig: Buffer): boolean {
  const file = join(base, "signature");
  const lines = sig.toString("base64").match(/.{1,70}/g) ?? [];
  writeFileSync(file, `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`);
  try {
    const args = ["-Y", "check-novalidate", "-n", NAMESPACE, "-s", file];
    execFileSync("ssh-keygen", args, { input: bytes, stdio: ["pipe", "ignore", "ignore"] });
    return true;
  } catch {
    return false;
  }
}

const signatures: readonly (readonly [type: string, () => Promise<Buffer>])[] = [
  ...(["ed25519", "rsa", "ecdsa"] as const).map(
    (type) => [type, async () => (await signWithSsh(message, keyFile(type))).sig] as const,
  ),
  ["384-bit ecdsa", async () => (await signWithSsh(message, keyFile("ecdsa", "384"))).sig],
  ["521-bit ecdsa", async () => (await signWithSsh(message, keyFile("ecdsa", "521"))).sig],
  ["passkey", () => Promise.resolve(passkeySignature(message, {}).sig)],
];

function keyFile(type: string, bits = "") {
  const name = `${type}${bits}`;
  if (bits === "") return { is: "file", path: makeKey(base, name, type).file } as const;
  const file = join(base, name);
  execFileSync("ssh-keygen", ["-q", "-t", type, "-b", bits, "-N", "", "-C", "", "-f", file]);
  return { is: "file", path: file } as const;
}

describe("SSH signature", () => {
  test.for(signatures)("matches only the signed bytes with type %s", async ([, sign]) => {
    for (let round = 0; round < 5; round++) {
      const sig = await sign().catch(() => null);
      if (sig === null) continue; // The key of the first round already exists.
      expect(keygenFits(message, sig)).toBe(true);
      expect(fits(message, sig)).toBe(true);
      expect(fits(Buffer.from("another statement"), sig)).toBe(false);
    }
  });

  test.for(signatures.slice(0, 1).concat(signatures.slice(-1)))(
    "agrees with ssh-keygen for every flipped byte with type %s",
    async ([type, sign]) => {
      const sig = await sign().catch(
        async () => (await signWithSsh(message, { is: "file", path: join(base, type) })).sig,
      );
      for (let at = 0; at < sig.length; at += 7) {
        const flipped = Buffer.from(sig);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        // The fingerprint is compared earlier: a flipped key is a different key.
        if (keygenFits(message, flipped)) expect(fits(message, flipped), `byte ${at}`).toBe(true);
        else expect(fits(message, flipped), `byte ${at}`).toBe(false);
      }
    },
  );

  test("is rejected if its format is invalid", () => {
    expect(parseSshsig(Buffer.from("SSHSIG"))).toBeNull();
    expect(parseSshsig(Buffer.alloc(0))).toBeNull();
    expect(readSigningKey(Buffer.from("yes"))).toBeNull();
  });
});

describe("verification of invalid statements", () => {
  const JUNK = 1000;

  // Processor time of this process: the machine may be busy, and a process per line would exceed the limit.
  test("takes at most a second of processor time and starts no process", async () => {
    const studio = createStudio();
    const line = await studio.sign(studio.statement);
    studio.note("isdlc", line, ...studio.made.flatMap(({ commit, tree }) => [commit, tree]));
    const theirs = await signWithSsh(message, { is: "file", path: studio.keys.mallory.file });
    const listed = parseSshsig((await signWithSsh(message, { is: "file", path: studio.keys.ada.file })).sig);
    const forged = await signWithSsh(Buffer.from("something else"), { is: "file", path: studio.keys.ada.file });
    expect(listed).not.toBeNull();
    const junk = Array.from({ length: JUNK }, (_, index) => {
      const workflow = `junk-${index}`;
      const payload = encodeStatement({ ...studio.statement, predicate: { ...studio.statement.predicate, workflow } });
      return encodeEnvelope({ payload, signatures: [index % 2 === 0 ? theirs : forged] });
    });
    const measure = async (handed: readonly string[]): Promise<number> => {
      const before = process.cpuUsage();
      const { refused } = await studio.verify("isdlc", { handed });
      expect(refused).toHaveLength(handed.length);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await measure(junk.slice(0, 100));
    expect((await measure(junk)) - (await measure([]))).toBeLessThan(1000);
  }, 60_000);
});
