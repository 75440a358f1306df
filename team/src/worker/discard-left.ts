import { listSecrets } from "../../../src/core/redact.ts";
import type { VcsWrite } from "../../../src/ports/vcs.ts";
import * as z from "zod/mini";
import { discardBranch, discardedBranch, isBrought } from "./discard-branch.ts";
import type { DriveContext } from "./drive-run.ts";

type Tips = Pick<VcsWrite, "tip">;

/** The run ends in any case. A branch that could not be deleted remains, and is reported. */
export async function discardLeft(
  { worker, run, lease, journal, mirror }: DriveContext,
  root: string,
  vcs: Tips | null,
): Promise<void> {
  const { state } = await journal.load(run);
  const branch = discardedBranch(state);
  const tip = branch === null ? null : ((await vcs?.tip(branch)) ?? null);
  if (branch === null || tip === null) return;
  const left = isBrought(state)
    ? { branch, tip, why: "it came with the run from a user's machine, which may have had it before" }
    : await discardBranch(mirror, { run, root, branch, tip, secrets: listSecrets(worker.env) });
  if (left !== null)
    worker.log.warn({ run, ...left }, "the branch of discarded work could not be deleted at the remote");
  try {
    const path = `/api/worker/runs/${run}/left-branch`;
    const body = { epoch: lease.epoch, left };
    await worker.ask({ method: "POST", path, body, answer: z.object({}), patience: 60_000 });
  } catch (error) {
    worker.log.error({ run, error }, "could not report the result for the branch of discarded work");
  }
}
