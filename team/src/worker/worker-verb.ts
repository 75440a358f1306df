import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { done, type Invocation, type Result, text } from "../../../src/apps/cli/grammar/verb.ts";
import { withSignals } from "../../../src/apps/cli/main/signals.ts";
import { createProcesses } from "../../../src/adapters/process/create-processes.ts";
import { createReaderSeal, publicKeysOf } from "../../../src/adapters/team/reader-seal.ts";
import { createServerClient } from "../../../src/adapters/team/server-client.ts";
import { userFolders } from "../../../src/adapters/user-files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { secretsOf } from "../../../src/core/redact.ts";
import { TeamView } from "../../../src/schema/api-team.ts";
import { isLabel } from "../server/drive-queue.ts";
import { createLog, type Log } from "../structured-log.ts";
import { startTracing } from "../operations/tracing.ts";
import { numberOf, secretOf } from "../verb-values.ts";
import { beat } from "./beat.ts";
import { type ClaimNotes, createClaimNotes } from "./claim-notes.ts";
import { dataFolder, driveLeased, type Worker } from "./drive-run.ts";
import { createMirrors } from "./mirror.ts";
import { createSpareTrees } from "./spare-trees.ts";
import { startTidying } from "./start-tidying.ts";
import { takeDrives } from "./take-drives.ts";

const DEFAULT_BEAT = 3; // seconds
const PATIENCE = 60_000; // milliseconds
const SHUTDOWN = 30_000; // milliseconds

/** Takes drives from the queue and carries them out, until it is told to stop. */
export async function worker(invocation: Invocation): Promise<Result> {
  const database = secretOf(invocation, { option: "database", variable: "ISDLC_DATABASE_URL" });
  const token = secretOf(invocation, { option: "token", variable: "ISDLC_WORKER_TOKEN" });
  const url = text(invocation.values, "server");
  if (url === undefined)
    throw new ProblemError({ code: "USAGE", detail: "Say which server.", usage: invocation.verb.usage });
  return withSignals((signal) => work(invocation, { url, token, database, signal }));
}

type Wanted = {
  readonly url: string;
  readonly database: string;
  readonly token: string;
  /** Take no more. */
  readonly signal: AbortSignal;
};

async function work(invocation: Invocation, { url, token, database, signal }: Wanted): Promise<Result> {
  const { io, env, values } = invocation;
  const ask = createServerClient({ url, token });
  const log = createLog({ name: "isdlc-worker", write: io.err, secrets: [database, token, ...secretsOf(env)] });
  const team = await ask({ method: "GET", path: "/api/team", answer: TeamView, patience: PATIENCE });
  const data = join(text(values, "data") ?? dataFolder(userFolders(env).state), team.person);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const claims = await sweptClaims(data, log);
  const stopping = new AbortController();
  const signals = { draining: signal, stopping: stopping.signal };
  const me: Worker = {
    ask,
    seal: createReaderSeal(publicKeysOf(team.keys)),
    data,
    env,
    values,
    claims,
    mirrors: createMirrors({ data, env }),
    spares: createSpareTrees(data),
    log,
    ...signals,
    driving: new Map(),
  };
  const instance = randomUUID();
  await beat(me, instance);
  const tracing = startTracing("isdlc-worker", env);
  const executor = `${team.person}/${instance}`;
  const drive = async (run: string, workflow: string): Promise<string> => {
    const traced = { name: "drive", attributes: { "isdlc.run": run, "isdlc.workflow": workflow } };
    const end = await tracing.within(traced, (headers) =>
      driveLeased({ ...me, ask: createServerClient({ url, token, headers }) }, run, workflow),
    );
    log.info({ run, workflow, end }, "a drive ended");
    return end;
  };
  const labels = labelsOf(invocation);
  const taking = await takeDrives({ database, executor, labels, drive, isWaitedFor: patience(log, signal) });
  io.out(`${team.person} takes work.`);
  startTidying(me);
  const timer = setInterval(() => void beat(me, instance), numberOf(invocation, "beat", DEFAULT_BEAT) * 1000);
  if (!signal.aborted) await once(signal, "abort");
  const drainsFor = numberOf(invocation, "drain", 0) * 1000;
  const drain = setTimeout(() => stopping.abort(), drainsFor);
  await taking.stop(drainsFor + SHUTDOWN);
  clearTimeout(drain);
  clearInterval(timer);
  await tracing.stop();
  return done(["Stopped. Its runs were handed back."]);
}

async function sweptClaims(data: string, log: Log): Promise<ClaimNotes> {
  const claims = createClaimNotes(data, createProcesses());
  const swept = await claims.sweep();
  if (swept > 0) log.warn({ executions: swept }, "ended what an earlier worker in this folder had left behind");
  return claims;
}

/** A database that is away at the start is waited for, as a server is. */
function patience(log: Log, signal: AbortSignal): (error: unknown) => boolean {
  const until = Date.now() + PATIENCE;
  return (error) => {
    log.warn({ error }, "the queue cannot be reached");
    return !signal.aborted && Date.now() < until;
  };
}

/** @throws ProblemError USAGE */
function labelsOf({ values, verb }: Invocation): readonly string[] {
  const labels = (text(values, "labels") ?? "").split(",").filter((label) => label !== "");
  if (labels.every(isLabel)) return labels;
  throw new ProblemError({ code: "USAGE", detail: "--labels takes words with commas between.", usage: verb.usage });
}
