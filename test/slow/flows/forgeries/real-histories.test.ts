import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { historyGit } from "../../../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../../../src/adapters/attestation/isolated-git.ts";
import { verifyRange } from "../../../../src/adapters/attestation/verify-range.ts";
import { readPolicy } from "../../../../src/core/attestation/read-policy.ts";
import type { CaseModel } from "../../../attestation/forgeries/case-model.ts";
import { generateHistory } from "../../../attestation/forgeries/generate-history.ts";
import { type Outcome, NOW, toOutcome, verifyModel } from "../../../attestation/forgeries/verify-model.ts";
import { makeKeyring, writeRepository } from "../../../attestation/forgeries/write-repository.ts";
import { rollDice } from "../../../support/dice.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const COUNT = Number(process.env["ISDLC_REAL_HISTORIES"] ?? 40);
const NEEDS_KEYS = ["passkeys", "revokedSigners"];
const REFERENCE = join(import.meta.dirname, "../../../attestation/forgeries/reference/verify.py");
const base = mkdtempSync(join(tmpdir(), "isdlc-real-"));
afterAll(() => removeTemporary(base));

/** A case without rules that need a passkey or the fingerprint of a key. */
function plainCase(seed: number): CaseModel {
  const model = generateHistory(rollDice(seed), `${seed}`);
  const kept = Object.entries(model.policy).filter(([rule]) => !NEEDS_KEYS.includes(rule));
  const lines = model.lines.map((line) => ({ ...line, passkey: "mallory" as const }));
  return { ...model, lines, policy: Object.fromEntries(kept) };
}

test(`verifies ${COUNT} generated histories identically as repositories and as data`, async () => {
  const keyring = makeKeyring(join(base, "keys"));
  for (let seed = 1; seed <= COUNT; seed++) {
    const model = plainCase(seed);
    if (model.base === model.head) continue;
    const expected = verifyModel(model);
    const written = await writeRepository(model, join(base, `${seed}`, "tree"), keyring);
    const policy = readPolicy(JSON.stringify(model.policy));
    if (policy.is === "invalid") throw new Error(policy.detail);
    const { signers, root, envelopes } = written;
    const git = await historyGit(root, process.env);
    const request = {
      policy: policy.policy,
      named: `${model.base}..${model.head}`,
      notes: null,
      handed: [],
      signers,
      now: NOW,
    };
    const found = await withIsolatedGit(git, (isolated) => verifyRange(isolated, request));
    expect(toOutcome(found), `${seed}`).toEqual(expected);
    const input = { folder: root, signers, now: NOW, policy: model.policy, base: model.base, head: model.head };
    const lines = envelopes.map((envelope) => ({ envelope }));
    const output = execFileSync("python3", ["-B", REFERENCE, "--repository"], {
      input: `${JSON.stringify({ ...input, lines })}\n`,
      encoding: "utf8",
    });
    expect(JSON.parse(output) as Outcome, `${seed}`).toEqual(expected);
    removeTemporary(join(base, `${seed}`));
  }
}, 600_000);
