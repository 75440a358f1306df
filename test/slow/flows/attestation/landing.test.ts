import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSigner, createVerifier, finishedRun, type Signer } from "../../../attestation/two-homes.ts";
import { parsed } from "../../../support/cli.ts";

const LANDING = "urn:isdlc:attestation:landing:v1";
/** On a moved base, checks must have passed on the result. */
const CARRIED = { gates: ["final"], movedBase: "carried" };

/** Commits to main while the branch of the run is checked out. */
function moveBase(signer: Signer): void {
  const folder = join(signer.base, "main");
  signer.git("worktree", "add", "--quiet", folder, "main");
  writeFileSync(join(folder, "other.txt"), "other\n");
  signer.git("-C", folder, "add", "other.txt");
  signer.git("-C", folder, "commit", "--quiet", "--message", "Other work");
  signer.git("worktree", "remove", folder);
}

async function verifyMain(ada: Signer, remote: string, first: string) {
  const ben = await createVerifier(ada, remote);
  ben.git("fetch", "--quiet", "origin", "refs/notes/isdlc:refs/notes/isdlc");
  ben.trust(ada.signerLine("ada@example.org"));
  const policy = join(ben.home, "policy.json");
  return async (rules: object) => {
    writeFileSync(policy, JSON.stringify(rules));
    const named = [`${first}..origin/main`, "--signers", ben.signers, "--policy", policy, "--json"];
    const { commits } = parsed(await ben.isdlc("verify-commits", ...named));
    return commits.map((commit: { by: string | null; code?: string }) => commit.by ?? commit.code);
  };
}

const landingIn = (outcome: { statements: { predicateType: string; predicate: Record<string, unknown> }[] }) =>
  outcome.statements.find(({ predicateType }) => predicateType === LANDING)?.predicate;

test.concurrent("signs the merge of a run with base, result, user and checks, and exports it", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "merge");
  const base = ada.git("rev-parse", "main^1");
  const attested = await ada.person("attest", "--json", "--as", "Ada");
  const { run, statement, ...landing } = landingIn(parsed(attested)) ?? {};
  expect(landing).toMatchObject({
    base: { commit: base, tree: ada.git("rev-parse", `${base}^{tree}`) },
    result: { commit: ada.git("rev-parse", "main"), tree: ada.git("rev-parse", "main^{tree}") },
    method: "merge",
    checks: parsed(attested).statements[0].predicate.phases.at(-1).checks,
  });
  expect(statement).toMatch(/^[0-9a-f]{64}$/);
  expect((await ada.person("attest", "--as", "Ada")).stdout).toMatch(
    new RegExp(`Signed: run ${String(run)} was merged onto ${base.slice(0, 12)} as [0-9a-f]{12} \\(`),
  );
  const verify = await verifyMain(ada, remote, ada.git("rev-list", "--max-parents=0", "main"));
  expect(await verify(CARRIED)).toEqual(["state", "merge"]);

  const [archive] = parsed(await ada.script("export", "--to", ada.base, "--json")).files as [string];
  const signers = join(ada.base, "signers");
  writeFileSync(signers, `${ada.signerLine("ada@example.org")}\n`);
  const shown = await ada.script("import", archive, "--signers", signers);
  expect(shown.stdout).toMatch(/The merge as [0-9a-f]{12} is signed by ada@example.org/);
  expect(shown.stdout).toMatch(/The journal up to event \d+ is signed by ada@example.org/);
});

test.concurrent("a merge onto a moved base names no checks and is not carried", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "merge", () => {
    moveBase(ada);
    return ada.person("answer", "merge"); // shows the new base and asks again
  });
  const predicate = landingIn(parsed(await ada.person("attest", "--json", "--as", "Ada")));
  expect(predicate).toMatchObject({ method: "merge", checks: [] });
  const verify = await verifyMain(ada, remote, ada.git("rev-parse", "main^1"));
  expect(await verify({ gates: ["final"] })).toEqual(["state", "merge"]);
  expect(await verify(CARRIED)).toEqual(["state", "NOT_CARRIED"]);
});
