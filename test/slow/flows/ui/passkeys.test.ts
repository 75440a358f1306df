import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPasskeyStore } from "../../../../src/adapters/files/passkey-store.ts";
import { nodeFiles } from "../../../../src/adapters/files/file-system.ts";
import { type Authenticator, createAuthenticator, type How } from "../../../support/authenticator.ts";
import { createSandbox, type Json, type Sandbox } from "../../../support/cli.ts";
import { type PageServer, startPageServer } from "../../../ui/page-server.ts";

type PasskeyRun = {
  readonly sandbox: Sandbox;
  readonly server: PageServer;
  readonly authenticator: Authenticator;
  readonly run: string;
  /** A continue decision in the format of the web UI. */
  readonly decision: Json;
};

/** A run at its gate that accepts only decisions signed with one passkey. */
async function waitingForPasskey(): Promise<PasskeyRun> {
  const sandbox = await createSandbox();
  const server = await startPageServer(sandbox);
  const authenticator = createAuthenticator(`http://localhost:${server.port}`);
  createPasskeyStore(sandbox.config, nodeFiles).keep(authenticator.passkey);
  expect(await sandbox.person("config", "set", "approvals", "passkey")).toMatchObject({ code: 0 });
  expect(await sandbox.script("add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { id: run, waiting } = await sandbox.status();
  const { shown } = JSON.parse((await server.get(`/api/runs/${run}/gate`)).body);
  return { sandbox, server, authenticator, run, decision: { wait: waiting.id, shown, option: "continue" } };
}

async function sign(signed: PasskeyRun, decision: Json = signed.decision, how: How = {}): Promise<Json> {
  const { status, body } = await signed.server.post(`/api/runs/${signed.run}/challenge`, decision);
  expect(status).toBe(200);
  const { challenge } = JSON.parse(body);
  return { ...decision, assertion: signed.authenticator.assert(challenge, how) };
}

const send = async ({ server, run }: PasskeyRun, decision: Json): Promise<{ status: number; code: string | null }> => {
  const { status, body } = await server.post(`/api/runs/${run}/answer`, decision);
  return { status, code: JSON.parse(body).problem?.code ?? null };
};

const answers = async ({ sandbox }: PasskeyRun): Promise<readonly string[]> =>
  (await sandbox.events()).filter(({ type }) => type === "gate.answered").map(({ type }) => type);

describe.concurrent("with approvals: passkey", () => {
  test("records a signed decision that verify-journal verifies without the web UI", async () => {
    const signed = await waitingForPasskey();
    const { sandbox } = signed;
    const redo = { ...signed.decision, option: "redo", text: "Greet by name" };
    expect(await send(signed, await sign(signed, redo))).toEqual({ status: 200, code: null });
    const events = await sandbox.events();
    const at = events.findIndex(({ type }) => type === "decision.signed");
    expect(events[at + 1]).toMatchObject({
      type: "gate.answered",
      choice: "redo",
      guidance: "Greet by name",
      by: { channel: "passkey" },
    });
    const verified = await sandbox.script("verify-journal");
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("1 signed decisions, in order")]);
  });

  test("rejects answers from other channels and still lets them resume", async () => {
    const signed = await waitingForPasskey();
    const { sandbox, server, run } = signed;
    expect(await send(signed, signed.decision)).toEqual({ status: 403, code: "PASSKEY_NEEDED" });
    for (const verb of [["continue"], ["redo", "again"], ["cancel", "--reason", "enough"], ["back", "plan"]]) {
      const { code, stdout } = await sandbox.person(...verb, "--json");
      expect([verb, code, JSON.parse(stdout).problem.code]).toEqual([verb, 1, "PASSKEY_NEEDED"]);
    }
    expect(await sandbox.person("config", "set", "approvals", "terminal,token,dashboard")).toMatchObject({ code: 0 });
    const { code, stdout } = await sandbox.person("continue", "--json");
    expect([code, JSON.parse(stdout).problem.what]).toEqual([1, expect.stringContaining("signed with a passkey")]);
    expect(await send(signed, signed.decision)).toEqual({ status: 403, code: "PASSKEY_NEEDED" });
    expect(await answers(signed)).toEqual([]);
    expect((await server.post(`/api/runs/${run}/resume`, {})).status).toBe(200);
  });

  test("rejects signatures with another origin, relying party or type, and unverified users", async () => {
    const signed = await waitingForPasskey();
    const wrong: readonly How[] = [
      { origin: "http://localhost:1" },
      { origin: "https://evil.example" },
      { relyingParty: "evil.example" },
      { isVerified: false },
      { type: "webauthn.create" },
    ];
    for (const how of wrong)
      expect([how, await send(signed, await sign(signed, signed.decision, how))]).toEqual([
        how,
        { status: 403, code: "PASSKEY_REFUSED" },
      ]);
    expect(await answers(signed)).toEqual([]);
  });

  test("accepts a signature once, and only for the signed decision", async () => {
    const signed = await waitingForPasskey();
    const review = { ...signed.decision, option: "review" };
    const redo = { ...signed.decision, option: "redo", text: "Greet by name" };
    const altered: readonly (readonly [string, Json])[] = [
      ["option", { ...(await sign(signed, redo)), option: "continue" }],
      ["guidance", { ...(await sign(signed, redo)), text: "Delete everything" }],
      ["shown", { ...(await sign(signed)), shown: "0".repeat(64) }],
      ["wait", { ...(await sign(signed)), wait: "plan#1/gate-1" }],
      [
        "comments",
        { ...(await sign(signed, redo)), comments: [{ id: "C1", place: null, text: "x", suggestion: null }] },
      ],
      ["signature", withOtherSignature(await sign(signed))],
    ];
    for (const [what, decision] of altered)
      expect([what, await send(signed, decision)]).toEqual([what, { status: 403, code: "PASSKEY_REFUSED" }]);
    const used = await sign(signed, review);
    expect(await send(signed, used)).toEqual({ status: 200, code: null });
    expect(await send(signed, used)).toEqual({ status: 403, code: "PASSKEY_REFUSED" });
    expect(await answers(signed)).toHaveLength(1);
  });

  test("rejects a passkey registered after the run started", async () => {
    const signed = await waitingForPasskey();
    const other = createAuthenticator(`http://localhost:${signed.server.port}`, "b3RoZXItcGFzc2tleQ");
    createPasskeyStore(signed.sandbox.config, nodeFiles).keep(other.passkey);
    const decision = await sign({ ...signed, authenticator: other });
    expect(await send(signed, decision)).toEqual({ status: 409, code: "COMMAND_REFUSED" });
    expect(await answers(signed)).toEqual([]);
  });

  test("removes a lost passkey with a recorded reason and reopens other channels", async () => {
    const signed = await waitingForPasskey();
    const { sandbox } = signed;
    expect(await sandbox.script("passkey", "remove", "test", "--reason", "lost")).toMatchObject({ code: 1 });
    expect(await sandbox.person("passkey", "remove", "test")).toMatchObject({ code: 2 });
    expect(await sandbox.person("passkey", "remove", "other", "--reason", "lost")).toMatchObject({ code: 2 });
    expect(await sandbox.person("passkey", "remove", "test", "--reason", "The phone is lost")).toMatchObject({
      code: 0,
    });
    expect((await sandbox.events()).at(-1)).toMatchObject({
      type: "passkey.removed",
      reason: "The phone is lost",
      by: { channel: "token" },
    });
    expect(JSON.parse(readFileSync(join(sandbox.config, "config.json"), "utf8"))).toEqual({});
    expect(await sandbox.person("continue", "--no-run")).toMatchObject({ code: 0 });
    expect(await sandbox.script("verify-journal")).toMatchObject({ code: 0 });
  });

  test("rejects the setting without a passkey or with a damaged passkeys.json", async () => {
    const sandbox = await createSandbox();
    expect(await sandbox.person("config", "set", "approvals", "passkey")).toMatchObject({ code: 2 });
    writeFileSync(join(sandbox.config, "passkeys.json"), "{");
    const { code, stdout } = await sandbox.person("config", "set", "approvals", "passkey", "--json");
    expect([code, JSON.parse(stdout).problem.code]).toEqual([1, "SETTINGS_UNREADABLE"]);
  });
});

function withOtherSignature(decision: Json): Json {
  const signature: string = decision.assertion.signature;
  const last = signature.endsWith("A") ? "B" : "A";
  return { ...decision, assertion: { ...decision.assertion, signature: signature.slice(0, -3) + last.repeat(3) } };
}
