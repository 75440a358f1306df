// A worker in its own process: takes drives from the real queue and reports over HTTP. Its agent answers at once,
// and it uses no git. It reports to its parent when it is ready for work, and when it starts to work on a run.
import * as z from "zod/mini";
import { createReaderSeal, parsePublicKeys } from "../src/adapters/remote/reader-seal.ts";
import { createServerClient } from "../src/adapters/remote/server-client.ts";
import type { StartCommand } from "../src/core/command.ts";
import { next } from "../src/core/next.ts";
import type { Lease } from "../src/schema/api-team.ts";
import { GENERATION } from "../team/src/server/drive-queue.ts";
import { createHttpJournal } from "../team/src/worker/http-journal.ts";
import { takeDrives } from "../team/src/worker/take-drives.ts";
import { reportOn, startCommand } from "./sample-run.ts";

export type BareWorker = {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly keys: readonly string[];
  readonly root: string;
};

/** `at` is in milliseconds of the clock shared by all processes of a machine. */
export type WorkerMessage =
  | { readonly is: "ready" }
  | { readonly is: "took"; readonly run: string; readonly at: number };

const BEATS_EVERY = 3000; // milliseconds
const LOOSE = z.looseObject({});
const HEALTHY = { fault: () => null, recheck: () => Promise.resolve() };

const { name, url, token, keys, root } = JSON.parse(process.argv[2] ?? "") as BareWorker;
const ask = createServerClient({ url, token });
const seal = createReaderSeal(parsePublicKeys(keys));
const tell = (told: WorkerMessage): void => void process.send?.(told);

const beat = (): Promise<unknown> => {
  const body = { instance: name, replaces: null, runs: [], generation: GENERATION, version: "" };
  return ask({ method: "POST", path: "/api/worker/beat", body, answer: LOOSE });
};
await beat();
setInterval(() => void beat(), BEATS_EVERY);
process.once("disconnect", () => process.exit()); // the bench was killed
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
takeDrives({ ask, instance: name, labels: [], drive, health: HEALTHY, log });
tell({ is: "ready" });

async function drive({ run, epoch }: Lease): Promise<void> {
  tell({ is: "took", run, at: performance.timeOrigin + performance.now() });
  const withoutGit = { beforeRecord: () => Promise.resolve(null), afterRecord: () => undefined };
  const journal = createHttpJournal({ ask, run, epoch, seal, ...withoutGit });
  for (;;) {
    const { state } = await journal.load(run);
    if (state.is === "none") await journal.create(run, supervised(startCommand(root, run, "change")));
    else if (state.is === "active" && next(state).is === "action") await journal.submit(run, reportOn(state));
    else return;
  }
}

function supervised(start: StartCommand): StartCommand {
  return { ...start, facts: { ...start.facts, supervision: { enabled: true, phases: "all" }, git: null } };
}
