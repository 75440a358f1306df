import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { historyGit } from "../../../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../../../src/adapters/attestation/isolated-git.ts";
import { verifyRange } from "../../../../src/adapters/attestation/verify-range.ts";
import { readPolicy } from "../../../../src/core/attestation/read-policy.ts";
import type { CaseModel } from "../../../attestation/forgeries/case-model.ts";
import { generateHistory } from "../../../attestation/forgeries/generate-history.ts";
import { type Outcome, NOW, toOutcome, verifyModel } from "../../../attestation/forgeries/verify-model.ts";
import {
  makeKeyring,
  type WrittenRepository,
  writeRepository,
} from "../../../attestation/forgeries/write-repository.ts";
import { rollDice } from "../../../support/dice.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const COUNT = Number(process.env["ISDLC_REAL_HISTORIES"] ?? 300);
/** Repositories verified at the same time: each verification mostly waits for git. */
const AT_ONCE = 4;
const NEEDS_KEYS = ["passkeys", "revokedSigners"];
const REFERENCE = join(import.meta.dirname, "../../../attestation/forgeries/reference/verify.py");
const base = mkdtempSync(join(tmpdir(), "isdlc-real-"));
afterAll(() => removeTemporary(base));

type RealCase = { readonly seed: number; readonly model: CaseModel; readonly written: WrittenRepository };

/** Without what needs a passkey, or the fingerprint of a key. */
function plainCase(seed: number): CaseModel {
  const model = generateHistory(rollDice(seed), `${seed}`);
  const kept = Object.entries(model.policy).filter(([rule]) => !NEEDS_KEYS.includes(rule));
  const lines = model.lines.map((line) => ({ ...line, passkey: "mallory" as const }));
  return { ...model, lines, policy: Object.fromEntries(kept) };
}

/** Cases of consecutive seeds, without empty ranges. */
function writeCases(): RealCase[] {
  const keyring = makeKeyring(join(base, "keys"));
  const cases: RealCase[] = [];
  for (let seed = 1; cases.length < COUNT; seed++) {
    const model = plainCase(seed);
    if (model.base === model.head) continue;
    cases.push({ seed, model, written: writeRepository(model, join(base, `${seed}`, "tree"), keyring) });
  }
  return cases;
}

async function verify({ model, written: { root, signers } }: RealCase): Promise<Outcome> {
  const policy = readPolicy(JSON.stringify(model.policy));
  if (policy.is === "invalid") throw new Error(policy.detail);
  const named = `${model.base}..${model.head}`;
  const request = { policy: policy.policy, named, notes: null, handed: [], signers, now: NOW };
  const git = await historyGit(root, process.env);
  return toOutcome(await withIsolatedGit(git, (isolated) => verifyRange(isolated, request)));
}

async function verifyAll(cases: readonly RealCase[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const left = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) outcomes[next[0]] = await verify(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

/** Outcomes of the reference verifier, which reads the same repositories with git and ssh-keygen. */
async function verifyWithReference(cases: readonly RealCase[]): Promise<Outcome[]> {
  const python = spawn("python3", ["-B", REFERENCE, "--repository"], { stdio: ["pipe", "pipe", "inherit"] });
  const questions = cases.map(({ model: { policy, base: from, head }, written: { root, signers, envelopes } }) => {
    const lines = envelopes.map((envelope) => ({ envelope }));
    return `${JSON.stringify({ folder: root, signers, now: NOW, policy, base: from, head, lines })}\n`;
  });
  python.stdin.end(questions.join(""));
  const outcomes: Outcome[] = [];
  for await (const line of createInterface({ input: python.stdout })) outcomes.push(JSON.parse(line) as Outcome);
  return outcomes;
}

/** The model merges whole files, and reports a conflict where git merges lines or several bases. */
const hasModelConflict = ({ commits }: Outcome): boolean => Object.values(commits).includes("MERGE_CONFLICT");

test(`agrees with the reference verifier and with the data on ${COUNT} histories as real repositories`, async () => {
  const cases = writeCases();
  const [ours, theirs] = await Promise.all([verifyAll(cases), verifyWithReference(cases)]);
  const bySeed = (outcomes: readonly (Outcome | null)[]) =>
    Object.fromEntries(cases.map(({ seed }, at) => [seed, outcomes[at]]));
  const expected = cases.map(({ model }) => verifyModel(model));
  expect(bySeed(theirs)).toEqual(bySeed(ours));
  const comparable = (outcomes: readonly Outcome[]) =>
    outcomes.map((outcome, at) => (hasModelConflict(expected[at] ?? outcome) ? null : outcome));
  expect(bySeed(comparable(ours))).toEqual(bySeed(comparable(expected)));
  expect(expected.filter(hasModelConflict).length).toBeLessThan(COUNT / 4);
  expect(expected.filter(({ accepted }) => accepted).length).toBeGreaterThan(COUNT / 30);
}, 1_200_000);
