import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsed, type Json } from "../support/cli.ts";
import { createSigner, createVerifier, type Signer, type Verifier } from "./two-homes.ts";

/** A branch with two commits that isdlc did not make. */
async function branchWithWork(): Promise<Signer> {
  const one = await createSigner();
  one.git("switch", "--quiet", "--create", "login");
  for (const name of ["a", "b"]) addFile(one, name);
  return one;
}

function addFile(one: Signer, name: string): void {
  one.write(`${name}.txt`, `${name}\n`);
  one.git("add", "--all");
  one.git("commit", "--quiet", "--message", `Add ${name}`);
}

async function adopt(one: Signer): Promise<Verifier> {
  const gate = await one.person("adopt", "--reviewer", "none", "--yes");
  expect(gate.code, gate.stdout + gate.stderr).toBe(3);
  await one.person("continue", "--as", "Ada");
  const end = await one.person("answer", "keep");
  expect(end.code, end.stdout + end.stderr).toBe(0);
  const verifier = await createVerifier(one, one.root);
  verifier.git("fetch", "--quiet", "origin", "refs/notes/isdlc:refs/notes/isdlc");
  verifier.trust(one.signerLine("ada@example.org"));
  return verifier;
}

async function verify(verifier: Verifier, policy: object, range = "origin/main..origin/adopt/login"): Promise<Json> {
  const file = join(verifier.home, "policy.json");
  writeFileSync(file, JSON.stringify(policy));
  return parsed(
    await verifier.isdlc("verify-commits", range, "--json", "--signers", verifier.signers, "--policy", file),
  );
}

describe("the attestation of adopted work", () => {
  test("covers the commits as they are and one for uncommitted changes, and says that its authors are unknown", async () => {
    const one = await branchWithWork();
    const before = one.git("rev-list", "main..login").split("\n").toReversed();
    one.write("c.txt", "c\n");
    const verifier = await adopt(one);
    expect(one.git("rev-list", "main..login").split("\n").toReversed()).toEqual(before);
    const accepted = await verify(verifier, { gates: ["adopt"], people: ["ada@example.org"] });
    expect(accepted).toMatchObject({ ok: true, violations: [] });
    expect(accepted.commits.map(({ commit }: Json) => commit)).toEqual([...before, expect.any(String)]);
    const [{ statement }] = accepted.statements;
    expect(statement.predicate).toMatchObject({
      adopted: "checks and review by isdlc, authorship unknown",
      sandbox: null,
      git: { start: { commit: one.git("rev-parse", "main") }, others: [] },
      states: [{ is: "adopted" }, { is: "adopted" }, { is: "phase" }],
    });
    const refused = await verify(verifier, { adopted: false });
    expect(refused.violations.map(({ code }: Json) => code)).toEqual(["ADOPTED_WORK"]);
  });

  test("covers a branch into which the main branch was merged, but no merge with other content", async () => {
    const one = await branchWithWork();
    one.git("switch", "--quiet", "main");
    addFile(one, "m");
    one.git("switch", "--quiet", "login");
    one.git("merge", "--quiet", "--no-edit", "main");
    addFile(one, "c");
    expect(await verify(await adopt(one), { gates: ["adopt"] })).toMatchObject({ ok: true });

    const evil = await branchWithWork();
    evil.git("switch", "--quiet", "main");
    addFile(evil, "m");
    evil.git("switch", "--quiet", "login");
    evil.git("merge", "--quiet", "--no-commit", "--no-ff", "main");
    evil.write("evil.txt", "not from any parent\n");
    evil.git("add", "--all");
    evil.git("commit", "--quiet", "--message", "Merge main");
    const verifier = await adopt(evil);
    const refused = await verify(verifier, {});
    expect(refused.violations.map(({ code }: Json) => code)).toContain("MERGE_DIFFERS");
  });
});
