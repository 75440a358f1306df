import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { done, type Invocation, type Result, text } from "../../../src/surfaces/cli/call/verb.ts";
import { withSignals } from "../../../src/surfaces/cli/call/signals.ts";
import { createProcesses } from "../../../src/adapters/process/create-processes.ts";
import { createReaderSeal, parsePublicKeys } from "../../../src/adapters/remote/reader-seal.ts";
import { createServerClient } from "../../../src/adapters/remote/server-client.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { listSecrets } from "../../../src/core/redact.ts";
import { type Lease, TeamView } from "../../../src/schema/api-team.ts";
import { isLabel } from "../server/drive-queue.ts";
import { createLog, type Log } from "../structured-log.ts";
import { startTracing } from "../operations/tracing.ts";
import { readNumber, readSecret } from "../verb-values.ts";
import { announce, beat } from "./beat.ts";
import { type ClaimNotes, createClaimNotes } from "./claim-notes.ts";
import { driveLeased, type Worker } from "./drive-run.ts";
import { dataFolder, openDataSlot } from "./data-slot.ts";
import { createMirrors } from "./mirror.ts";
import { createSpareTrees } from "./spare-trees.ts";
import { startTidying } from "./start-tidying.ts";
import { takeDrives } from "./take-drives.ts";
import { probeAgents } from "./worker-agents.ts";
import { createWorkerHealth } from "./worker-health.ts";

const DEFAULT_BEAT = 3; // seconds
const DATABASE_TIMEOUT_MS = 60_000;
const SHUTDOWN = 30_000; // milliseconds

/** Drives a team's runs until it is stopped. */
export async function worker(invocation: Invocation): Promise<Result> {
  const token = readSecret(invocation, { option: "token", variable: "ISDLC_WORKER_TOKEN" });
  const url = text(invocation.values, "server");
  if (url === undefined)
    throw new ProblemError({ code: "USAGE", detail: "Name the server.", usage: invocation.verb.usage });
  return withSignals((signal) => work(invocation, { url, token, signal }));
}

type WorkerOptions = {
  readonly url: string;
  readonly token: string;
  /** Aborted to take no more runs. */
  readonly signal: AbortSignal;
};

async function work(invocation: Invocation, { url, token, signal }: WorkerOptions): Promise<Result> {
  const { io, env, values } = invocation;
  const labels = readLabels(invocation);
  const ask = createServerClient({ url, token });
  const log = createLog({ name: "isdlc-worker", write: io.err, secrets: [token, ...listSecrets(env)] });
  const team = await ask({ method: "GET", path: "/api/team", answer: TeamView, patience: DATABASE_TIMEOUT_MS });
  const instance = randomUUID();
  const place = text(values, "data") ?? dataFolder(userFolders(env).state);
  const { folder: data, previous } = openDataSlot(place, team.person, instance);
  const claims = await sweptClaims(data, log);
  const health = createWorkerHealth({ data, env, log, probeAgents: () => probeAgents({ values, env }) });
  await health.check();
  const stopping = new AbortController();
  const signals = { draining: signal, stopping: stopping.signal };
  const me: Worker = {
    ask,
    seal: createReaderSeal(parsePublicKeys(team.keys)),
    data,
    env,
    values,
    claims,
    mirrors: createMirrors({ data, env }),
    spares: createSpareTrees(data),
    health,
    log,
    ...signals,
    driving: new Map(),
  };
  await announce(me, instance, previous);
  const tracing = startTracing("isdlc-worker", env);
  const drive = (lease: Lease): Promise<void> => {
    const traced = { name: "drive", attributes: { "isdlc.run": lease.run, "isdlc.epoch": lease.epoch } };
    return tracing.within(traced, (headers) =>
      driveLogged({ ...me, ask: createServerClient({ url, token, headers }) }, lease),
    );
  };
  const taking = takeDrives({ ask, instance, labels, drive, health, log });
  io.out(`${team.person} takes work.`);
  startTidying(me);
  const timer = setInterval(() => void beat(me, instance), readNumber(invocation, "beat", DEFAULT_BEAT) * 1000);
  if (!signal.aborted) await once(signal, "abort");
  const drainsFor = readNumber(invocation, "drain", 0) * 1000;
  const drain = setTimeout(() => stopping.abort(), drainsFor);
  await taking.stop(drainsFor + SHUTDOWN);
  clearTimeout(drain);
  clearInterval(timer);
  await tracing.stop();
  return done(["Stopped. Its runs were handed back."]);
}

/** If a drive cannot be given back, its run becomes free when the lease expires. */
async function driveLogged(worker: Worker, lease: Lease): Promise<void> {
  const { run, epoch } = lease;
  try {
    const end = await driveLeased(worker, lease);
    worker.log.info({ run, epoch, end }, "a drive ended");
  } catch (error) {
    worker.log.error({ run, epoch, error }, "a drive could not be given back");
  }
}

async function sweptClaims(data: string, log: Log): Promise<ClaimNotes> {
  const claims = createClaimNotes(data, createProcesses());
  const swept = await claims.sweep();
  if (swept > 0) log.warn({ executions: swept }, "ended what an earlier worker in this folder had left behind");
  return claims;
}

/** @throws ProblemError USAGE */
function readLabels({ values, verb }: Invocation): readonly string[] {
  const labels = (text(values, "labels") ?? "").split(",").filter((label) => label !== "");
  if (labels.every(isLabel)) return labels;
  throw new ProblemError({ code: "USAGE", detail: "--labels takes words with commas between.", usage: verb.usage });
}
