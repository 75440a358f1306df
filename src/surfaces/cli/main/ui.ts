import { ProblemError } from "../../../core/problem.ts";
import { userInfo } from "node:os";
import { done, type Invocation, type Result, type Run } from "../invocation/verb.ts";
import { givenToken, identifyPerson } from "../invocation/caller.ts";
import { type Host, problemResult, runCli } from "./run-cli.ts";
import { withSignals } from "../invocation/signals.ts";
import { identifyOpener, whyReadOnly } from "../../web-ui/person.ts";
import { createRegistration } from "../../web-ui/registration.ts";
import { openRepository } from "../../web-ui/repository.ts";
import { servePage } from "../../web-ui/serve-page.ts";
import type { Passkey } from "../../../ports/callers.ts";

export { verifySignatures } from "../../../adapters/identity/verify-signatures.ts";

/** Serves the web UI until it is stopped. */
export const ui: Run = (invocation) => untilStopped(invocation, serve);

/** Runs `isdlc ui` as a separate program. */
export const runUi = (args: readonly string[], host: Host): Promise<number> =>
  runCli(args, host, (name) => (name === "ui" ? ui : undefined));

/** Serves the web UI until one passkey is registered. */
export const addPasskey: Run = (invocation) => untilStopped(invocation, register);

type ServerTask = (invocation: Invocation, signal: AbortSignal) => Promise<Result>;

/** Formats problems here, because this code is bundled separately. */
async function untilStopped(invocation: Invocation, work: ServerTask): Promise<Result> {
  try {
    return await withSignals((signal) => work(invocation, signal));
  } catch (error) {
    if (error instanceof ProblemError) return problemResult(error.problem);
    throw error;
  }
}

const serve: ServerTask = async (invocation, signal) => {
  const { cwd, env, io } = invocation;
  const repository = openRepository(cwd, env);
  const token = givenToken(invocation);
  const opener = await identifyOpener(repository.here, token, userInfo().username);
  const page = await servePage(invocation, { repository, opener, registration: null, path: "/" });
  const readOnly = whyReadOnly(repository.here, opener);
  if (readOnly !== null) io.err(readOnly);
  await stopped(invocation, signal, () => io.out(page.newLink()));
  await page.close();
  return done(["Closed. Runs in progress continue."], { port: page.port });
};

const register: ServerTask = async (invocation, signal) => {
  const { cwd, env, io } = invocation;
  const repository = openRepository(cwd, env);
  await identifyPerson(invocation, repository.here);
  const name = userInfo().username;
  const added: { passkey: Passkey | null } = { passkey: null };
  const isAdded = new AbortController();
  const registration = createRegistration(repository.here, name, (passkey) => {
    added.passkey = passkey;
    isAdded.abort();
  });
  const opener = { name, isPerson: true };
  const page = await servePage(invocation, { repository, opener, registration, path: "/passkey" });
  await stopped(invocation, AbortSignal.any([signal, isAdded.signal]), () => io.out(page.newLink()));
  await page.close();
  if (added.passkey === null) return { code: 130, lines: ["No passkey was registered."], json: { ok: false } };
  return done(
    [`Registered "${added.passkey.name}".`, "Have decisions signed with it: isdlc config set approvals passkey"],
    { passkey: { id: added.passkey.id, name: added.passkey.name } },
  );
};

/** Resolves when the signal aborts. Enter requests another link. */
function stopped({ io }: Invocation, signal: AbortSignal, onEnter: () => void): Promise<void> {
  if (io.interactive) process.stdin.on("data", onEnter);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      if (io.interactive) process.stdin.off("data", onEnter).pause();
      resolve();
    });
  });
}
