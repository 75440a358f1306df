import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { done, type Invocation, type Result, text } from "../../../src/surfaces/cli/invocation/verb.ts";
import { withSignals } from "../../../src/surfaces/cli/invocation/signals.ts";
import { createProcesses } from "../../../src/adapters/process/create-processes.ts";
import { createReaderSeal, parsePublicKeys } from "../../../src/adapters/remote/reader-seal.ts";
import { createServerClient } from "../../../src/adapters/remote/server-client.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { listSecrets } from "../../../src/core/redact.ts";
import { type Lease, TeamView, EndedAnswer, MAX_ASKED } from "../../../src/schema/api-team.ts";
import { isLabel } from "../server/drive-queue.ts";
import { createLog, type Log } from "../structured-log.ts";
import { startTracing } from "../operations/tracing.ts";
import { readNumber, readSecret } from "../verb-values.ts";
import { announce, beat } from "./beat.ts";
import { type ClaimNotes, createClaimNotes } from "./claim-notes.ts";
import { driveLeased, type Worker } from "./drive-run.ts";
import { createMirrors } from "./mirror.ts";
import { createSpareTrees } from "./spare-trees.ts";
import { takeDrives } from "./take-drives.ts";
import { probeAgents } from "./worker-agents.ts";
import { createWorkerHealth } from "./worker-health.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileLock } from "../../../src/adapters/journal/file-lock.ts";
import { systemLockProcesses } from "../../../src/adapters/journal/lock-files.ts";
import { nodeFiles } from "../../../src/adapters/files/file-system.ts";

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

const EVERY = 60 * 60_000; // milliseconds

/** Tidies the mirrors of this worker at the start and every hour, each while no drive uses it. */
function startTidying({ ask, mirrors, log }: Pick<Worker, "ask" | "mirrors" | "log">): void {
  const endedAmong = async (runs: readonly RunId[]): Promise<readonly RunId[]> => {
    const ended: RunId[] = [];
    for (let at = 0; at < runs.length; at += MAX_ASKED) {
      const body = { runs: runs.slice(at, at + MAX_ASKED) };
      ended.push(...(await ask({ method: "POST", path: "/api/worker/ended", body, answer: EndedAnswer })).ended);
    }
    return ended;
  };
  const tidy = async (): Promise<void> => {
    for (const folder of mirrors.folders())
      await mirrors
        .tidy(folder, endedAmong)
        .catch((error: unknown) => log.warn({ folder, error }, "a mirror could not be tidied"));
  };
  void tidy();
  setInterval(() => void tidy(), EVERY).unref();
}

/** Data folder of one process. Processes of the same worker use different folders. */
type DataSlot = {
  readonly folder: string;
  /** Random id of the previous, exited process in the folder; null if there was none. */
  readonly previous: string | null;
};

const MAX_SLOTS = 100;

const dataFolder = (state: string): string => join(state, "worker");

/**
 * Takes the worker's first folder without a live process: `w1`, `w1~2`, `w1~3` (`~` is not allowed in worker names).
 * @throws ProblemError NOT_ALLOWED if all are in use
 */
function openDataSlot(data: string, worker: string, instance: string): DataSlot {
  for (let number = 1; number <= MAX_SLOTS; number++) {
    const folder = join(data, number === 1 ? worker : `${worker}~${number}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const processes = systemLockProcesses();
    if (!createFileLock({ directory: folder, name: "process", files: nodeFiles, processes }).tryAcquire().ok) continue;
    const file = join(folder, "instance");
    const previous = existsSync(file) ? readFileSync(file, "utf8").slice(0, 100) : null;
    writeFileSync(file, instance, { mode: 0o600 });
    return { folder, previous };
  }
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: `${MAX_SLOTS} processes of the worker ${worker} use ${data}.`,
    fix: "Stop some of them, or give another folder with --data.",
  });
}
