import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "../../../../src/adapters/files/file-system.ts";
import { sshKeyLine } from "../../../../src/adapters/identity/ssh-form.ts";
import { createPasskeyStore } from "../../../../src/adapters/files/passkey-store.ts";
import { type Authenticator, createAuthenticator } from "../../../support/authenticator.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";
import { type PageServer, startPageServer } from "../../../ui/page-server.ts";

type AtPage = { readonly sandbox: Sandbox; readonly server: PageServer; readonly authenticator: Authenticator };

/** Answers the open wait with the passkey and resumes. Returns the run id. */
async function answer({ sandbox, server, authenticator }: AtPage, option: string): Promise<string> {
  const { id: run } = await sandbox.status();
  const { wait } = JSON.parse((await server.get(`/api/runs/${run}`)).body);
  const decision: Json = { wait: wait.id, shown: wait.shown, option };
  const { challenge } = JSON.parse((await server.post(`/api/runs/${run}/challenge`, decision)).body);
  const sent = { ...decision, assertion: authenticator.assert(challenge) };
  expect(await server.post(`/api/runs/${run}/answer`, sent)).toMatchObject({ status: 200 });
  await sandbox.script("resume");
  return run;
}

/** A run started, approved and finished with a passkey. git has no signing key. */
async function finishedByPasskey(): Promise<AtPage & { readonly run: string }> {
  const sandbox = await createSandbox();
  const server = await startPageServer(sandbox);
  const authenticator = createAuthenticator(`http://localhost:${server.port}`);
  createPasskeyStore(sandbox.config, nodeFiles).keep(authenticator.passkey);
  expect(await sandbox.person("config", "set", "approvals", "passkey")).toMatchObject({ code: 0 });
  sandbox.plan({ turns: { implement: [{ writes: { "greeting.txt": "hello\n" } }] } });
  expect(await sandbox.script("add a greeting", ...sandbox.agent)).toMatchObject({ code: 3 });
  const page = { sandbox, server, authenticator };
  await answer(page, "continue");
  const run = await answer(page, "keep");
  return { ...page, run };
}

test("verifies a passkey-signed statement on another machine with ssh-keygen", async () => {
  const { sandbox, server, authenticator, run } = await finishedByPasskey();
  const of = `/api/runs/${run}/statement`;
  expect(JSON.parse((await server.get(of)).body)).toEqual({ isOffered: true });
  const { challenge } = JSON.parse((await server.post(`${of}/challenge`, {})).body);
  const signed = await server.post(of, authenticator.assert(challenge));
  expect([signed.status, JSON.parse(signed.body).lines[0]]).toEqual([
    200,
    expect.stringContaining(`Signed: run ${run}`),
  ]);

  const signers = join(sandbox.base, "signers");
  writeFileSync(signers, `ada@example.org ${sshKeyLine(authenticator.passkey) ?? ""}\n`);
  const policy = join(sandbox.base, "policy.json");
  writeFileSync(policy, JSON.stringify({ gates: ["final-review"], passkeys: true, people: ["ada@example.org"] }));
  const args = ["verify", "main..change/add-a-greeting", "--signers", signers, "--policy", policy];
  expect(await sandbox.script(...args)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("(passkey of ada@example.org)"),
  });
  const { statements } = parsed(await sandbox.script(...args, "--json"));
  expect(statements).toMatchObject([
    { signers: [{ signer: "ada@example.org" }], gateSigners: [{ phase: "final-review", signer: "ada@example.org" }] },
  ]);
  expect(JSON.stringify(statements)).not.toContain("salt");
  writeFileSync(signers, readFileSync(signers, "utf8").replace("ada@", "ben@"));
  expect(parsed(await sandbox.script(...args, "--json"))).toMatchObject({
    ok: false,
    violations: [{ rule: "commits", code: "SIGNER_NOT_PERMITTED" }],
  });
});

test("accepts a statement signature once, from a registered passkey, for its challenge", async () => {
  const { sandbox, server, authenticator, run } = await finishedByPasskey();
  const of = `/api/runs/${run}/statement`;
  const asked = async (): Promise<string> => JSON.parse((await server.post(`${of}/challenge`, {})).body).challenge;
  const other = createAuthenticator(`http://localhost:${server.port}`, "b3RoZXItcGFzc2tleQ");
  const used = authenticator.assert(await asked());
  const stranger = other.assert(await asked());
  for (const assertion of [
    used,
    stranger,
    other.assert("eA"),
    authenticator.assert(await asked(), { isVerified: false }),
  ])
    expect(await server.post(of, assertion)).toMatchObject({ status: 403 });
  expect(sandbox.git("for-each-ref", "refs/notes/")).toBe("");
  const assertion = authenticator.assert(await asked());
  expect(await server.post(of, assertion)).toMatchObject({ status: 200 });
  expect(await server.post(of, assertion)).toMatchObject({ status: 403 });
});
