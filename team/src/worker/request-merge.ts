import type { ServerClient } from "../../../src/adapters/remote/server-client.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { MergeAnswer } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { GitHostError } from "../copies/host-failure.ts";
import { FencedOffError, type HttpJournal, isFenced } from "./http-journal.ts";

type MergeRequestContext = {
  readonly ask: ServerClient;
  readonly run: RunId;
  readonly epoch: number;
  readonly journal: HttpJournal;
  /** Called first: after the merge, this worker no longer holds the run. */
  readonly before: () => Promise<void>;
};

const MERGE_TIMEOUT_MS = 30 * 60_000;

/** Returns an engine that leaves merges to the server. */
export const withServerMerge = (engine: Engine, merging: MergeRequestContext): Engine => ({
  ...engine,
  requestMerge: () => requestMerge(merging),
});

/**
 * Asks the server to merge the run, and returns once the result is in the journal. @throws Error if the server cannot
 * merge now; not a ProblemError, which would be recorded as an outcome of the step
 */
async function requestMerge(merging: MergeRequestContext): Promise<void> {
  try {
    await merging.before();
    await askUntilRecorded(merging);
  } catch (error) {
    if (isFenced(error)) throw new FencedOffError(`Run ${merging.run} is driven by another worker.`);
    if (!(error instanceof ProblemError)) throw error;
    const { what, fix } = describe(error.problem);
    throw new Error(`${what} ${fix}`, { cause: error });
  }
}

async function askUntilRecorded({ ask, run, epoch, journal }: MergeRequestContext): Promise<void> {
  const before = (await journal.load(run)).head.seq;
  const path = `/api/worker/runs/${run}/merge`;
  for (;;) {
    const asked = { method: "POST", path, body: { epoch }, answer: MergeAnswer, patience: MERGE_TIMEOUT_MS } as const;
    const { isDone, seq, hostFailure } = await ask(asked);
    journal.hear(seq);
    if (seq > before) return;
    if (hostFailure !== null) throw new GitHostError(hostFailure);
    if (isDone) throw new Error("the server did not merge the run");
  }
}
