import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { encodeEnvelope, readEnvelope, signedBytes } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import { type Key, makeKey } from "./keys.ts";
import { signInProcess, signLine } from "./sign-in-process.ts";
import { createStudio, type Studio } from "./studio.ts";

const JUNK = 1000;
const path = process.env["PATH"] ?? "";
afterEach(() => {
  process.env["PATH"] = path;
});

/** Puts a program that counts its starts before the real ssh-keygen. */
function countKeygen({ root }: Studio): () => number {
  const folder = join(root, "..", "bin");
  const log = join(folder, "starts");
  mkdirSync(folder);
  writeFileSync(log, "");
  writeFileSync(join(folder, "ssh-keygen"), `#!/bin/sh\necho >> "${log}"\nPATH="${path}" exec ssh-keygen "$@"\n`);
  chmodSync(join(folder, "ssh-keygen"), 0o755);
  process.env["PATH"] = [folder, path].join(delimiter);
  return () => {
    const starts = readFileSync(log, "utf8").length;
    writeFileSync(log, "");
    return starts;
  };
}

/** Lines about the commits of the run that anybody can write without a listed key. */
function junkLines({ statement }: Studio, good: string, { mallory, others }: { mallory: Key; others: readonly Key[] }) {
  const payload = encodeStatement(statement);
  const read = readEnvelope(good);
  const signatures = read.is === "envelope" ? read.envelope.signatures : [];
  return Array.from({ length: JUNK }, (_, index) => {
    const other = encodeStatement({ ...statement, predicate: { ...statement.predicate, isdlc: `${index}` } });
    if (index % 5 === 0) return signLine(other, [mallory]);
    if (index % 5 === 1) return encodeEnvelope({ payload: other, signatures });
    if (index % 5 === 2) return `${good.slice(0, -1)} }`.replace("}", `}${" ".repeat(index)}`);
    if (index % 5 === 3) return signLine(other, [mallory], true);
    const strangers = others.filter((_other, bit) => ((index >> bit) & 1) === 1);
    return encodeEnvelope({
      payload,
      signatures: [...signatures, ...strangers.map((key) => signInProcess(signedBytes(payload), key))],
    });
  });
}

test("1,000 lines of strangers start ssh-keygen no more often than the good statement alone", async () => {
  const studio = createStudio();
  const good = await studio.sign(studio.statement);
  studio.note("isdlc", good, ...studio.made.map(({ commit }) => commit));
  const others = Array.from({ length: 10 }, (_, index) => makeKey(join(studio.root, "../keys"), `other${index}`));
  const { ada, ben, mallory } = studio.keys;
  const signers = studio.signers("authorities", `ada@example.org ${ada.public}`, `* cert-authority ${ben.public}`);
  const startsSince = countKeygen(studio);
  const alone = await studio.verify("isdlc", { signers });
  const expected = startsSince();
  const handed = junkLines(studio, good, { mallory, others });
  expect(new Set(handed).size).toBeGreaterThan(JUNK / 2);
  const found = await studio.verify("isdlc", { signers, handed });
  expect(expected).toBeGreaterThan(0);
  expect(startsSince()).toBe(expected);
  expect([alone.violations, found.violations]).toEqual([[], []]);
});
