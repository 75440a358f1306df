import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToken } from "../../../../src/adapters/identity/operator-token.ts";
import { makeKey } from "../../../attestation/keys.ts";
import { createSigner, createVerifier, finishedRun } from "../../../attestation/two-homes.ts";
import { createSandbox, parsed } from "../../../support/cli.ts";

test.concurrent("covers a merged run on the main branch, and accepts a second signature", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "merge");
  const ben = await createVerifier(ada, remote);
  ben.git("fetch", "--quiet", "origin", "refs/notes/isdlc:refs/notes/isdlc");
  ben.trust(ada.signerLine("ada@example.org"));
  const first = ada.git("rev-list", "--max-parents=0", "main");
  const verify = (...more: string[]) =>
    ben.isdlc("verify-commits", `${first}..origin/main`, "--signers", ben.signers, "--json", ...more);
  expect(parsed(await verify()).commits.map(({ by }: { by: string }) => by)).toEqual(["state", "merge"]);

  const policy = join(ben.home, "policy.json");
  writeFileSync(policy, JSON.stringify({ gates: ["final-review"], fourEyes: true }));
  const alone = await verify("--policy", policy);
  expect([alone.code, parsed(alone).violations]).toMatchObject([1, [{ rule: "fourEyes" }]]);

  const key = makeKey(join(ben.home, ".ssh"), "id_ed25519");
  ben.git("config", "--global", "gpg.format", "ssh");
  ben.git("config", "--global", "user.signingkey", `${key.file}.pub`);
  ben.trust(`ben@example.org ${key.public}`);
  const token = createToken(join(ben.home, ".config", "isdlc"), "2026-01-01T00:00:00.000Z");
  const range = ["--countersign", `${first}..origin/main`, "--signers", ben.signers];
  const unasked = await ben.isdlc("attest", ...range, "--token", token, "--json");
  expect([unasked.code, parsed(unasked).choice?.kind ?? parsed(unasked).kind]).toEqual([3, "confirm"]);
  const signed = await ben.isdlc("attest", ...range, "--yes", "--token", token, "--push", "origin");
  expect(signed).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(await verify("--policy", policy)).ok).toBe(true);

  expect((await ada.script("init", "--share")).stdout).toContain("git fetch now brings signed statements along");
  ada.git("fetch", "--quiet", "origin");
  writeFileSync(join(ada.base, "signers"), readFileSync(ben.signers, "utf8"));
  const back = await ada.script("verify", `${first}..main`, "--signers", join(ada.base, "signers"), "--policy", policy);
  expect(back).toMatchObject({ code: 0 });
  expect(back.stdout).toContain("ada@example.org, ben@example.org");
});

test.concurrent("refuses agents in attest, and an invalid policy in verify", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "keep");
  const agent = await ada.start(["attest", "--json"], { ISDLC_AGENT: "1", ISDLC_OPERATOR_TOKEN: ada.token }).ended;
  expect(parsed(agent).problem.code).toBe("ANSWERED_BY_AGENT");
  expect(parsed(await ada.script("attest", "--json")).problem.code).toBe("NEEDS_PERSON");
  const ben = await createVerifier(ada, remote);
  const policy = join(ben.home, "policy.json");
  writeFileSync(policy, JSON.stringify({ fourEys: true }));
  const refused = await ben.isdlc("verify", "origin/main..HEAD", "--policy", policy, "--json");
  expect([refused.code, parsed(refused).problem.code]).toEqual([1, "POLICY_INVALID"]);
});

test.concurrent("ends a run without a signing key; attest reports the missing setup", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "greeting.txt": "hello\n" } }] } });
  await sandbox.script("add a greeting", ...sandbox.agent);
  await sandbox.person("continue");
  const ended = await sandbox.person("answer", "keep");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).not.toContain("Signed");
  expect(parsed(await sandbox.person("attest", "--json")).problem.code).toBe("SIGNING_NOT_SET_UP");
  sandbox.git("config", "gpg.format", "ssh");
  sandbox.git("config", "user.signingkey", "/nowhere/key.pub");
  expect(parsed(await sandbox.person("attest", "--json")).problem.code).toBe("SIGNING_NOT_SET_UP");
  const home = join(sandbox.base, "home/.gitconfig");
  writeFileSync(home, "[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = /nowhere/key.pub\n");
  const env = { GIT_CONFIG_GLOBAL: home, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const outcome = await sandbox.start(["attest", "--json"], env).ended;
  expect(parsed(outcome).problem.code).toBe("SIGNING_FAILED");
});
