import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { done, type Invocation, type Result, text } from "../../../src/apps/cli/grammar/verb.ts";
import { withSignals } from "../../../src/apps/cli/main/signals.ts";
import { createReaderSeal, publicKeysOf } from "../../../src/adapters/team/reader-seal.ts";
import { createServerClient, type ServerClient } from "../../../src/adapters/team/server-client.ts";
import { userFolders } from "../../../src/adapters/user-files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { BeatAnswer, TeamView } from "../../../src/schema/api-team.ts";
import { APPLICATION, APPLICATION_VERSION, QUEUE, WORKFLOW } from "../server/drive-queue.ts";
import { numberOf, secretOf } from "../verb-values.ts";
import { dataFolder, driveLeased, type Worker } from "./drive-run.ts";

const DEFAULT_BEAT = 3; // seconds
const QUEUE_CONNECTIONS = 3;
const PATIENCE = 60_000; // milliseconds

/** Takes drives from the queue and carries them out, until it is told to stop. */
export async function worker(invocation: Invocation): Promise<Result> {
  const database = secretOf(invocation, { option: "database", variable: "ISDLC_DATABASE_URL" });
  const token = secretOf(invocation, { option: "token", variable: "ISDLC_WORKER_TOKEN" });
  const url = text(invocation.values, "server");
  if (url === undefined)
    throw new ProblemError({ code: "USAGE", detail: "Say which server.", usage: invocation.verb.usage });
  const ask = createServerClient({ url, token });
  return withSignals((signal) => work(invocation, { ask, database, signal }));
}

type Wanted = { readonly ask: ServerClient; readonly database: string; readonly signal: AbortSignal };

async function work(invocation: Invocation, { ask, database, signal }: Wanted): Promise<Result> {
  const { io, env, values } = invocation;
  const team = await ask({ method: "GET", path: "/api/team", answer: TeamView, patience: PATIENCE });
  const data = text(values, "data") ?? dataFolder(userFolders(env).state);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const seal = createReaderSeal(publicKeysOf(team.keys));
  const log = (line: string): void => io.err(line);
  const me: Worker = { ask, seal, data, env, values, log, stopping: signal, driving: new Map() };
  const instance = randomUUID();
  await beat(me, instance);
  DBOS.registerWorkflow((run: string) => driveOnce(me, run), { name: WORKFLOW });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: database,
    systemDatabasePoolSize: QUEUE_CONNECTIONS,
    useListenNotify: false,
    runAdminServer: false,
    executorID: `${team.person}/${instance}`,
    applicationVersion: APPLICATION_VERSION,
    listenQueues: [QUEUE],
    logLevel: "error",
  });
  await DBOS.launch();
  io.out(`${team.person} takes work.`);
  const timer = setInterval(() => void beat(me, instance), numberOf(invocation, "beat", DEFAULT_BEAT) * 1000);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await DBOS.shutdown({ workflowCompletionTimeoutMS: PATIENCE });
  clearInterval(timer);
  return done(["Stopped. What was going on was given back."]);
}

/** One step: a drive that is cut off is not repeated by DBOS, but asked for again by the server. */
const driveOnce = (me: Worker, run: string): Promise<string> => {
  const workflow = DBOS.workflowID ?? "";
  return DBOS.runStep(
    async () => {
      const end = me.stopping.aborted ? "nothing" : await driveLeased(me, run, workflow);
      me.log(`${run}: ${end}`);
      return end;
    },
    { name: WORKFLOW },
  );
};

/** Agents go on while the server is away: without it nobody else can take their run either. */
async function beat({ ask, driving, log }: Worker, instance: string): Promise<void> {
  try {
    const body = { instance, runs: [...driving.keys()] };
    const { held } = await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer });
    for (const [run, { epoch, journal }] of driving) {
      if (!body.runs.includes(run)) continue; // taken while the server was asked
      const mine = held.find((one) => one.run === run && one.epoch === epoch);
      journal.hear(mine?.seq ?? null);
    }
  } catch (error) {
    log(`no heartbeat: ${error instanceof Error ? error.message : String(error)}`);
  }
}
