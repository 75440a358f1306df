import { basename, join } from "node:path";
import { createGitRead } from "../../adapters/git/read/git-read.ts";
import { createGitWrite } from "../../adapters/git/write/git-write.ts";
import { updateBacklogMarker } from "../../adapters/items/backlog-file.ts";
import { unsafeParent } from "../../adapters/items/create-item-records.ts";
import { messageOf } from "../../adapters/items/document-file.ts";
import { alone } from "../../adapters/items/items-lock.ts";
import { readMetaJson, takeOutCompletion } from "../../adapters/items/meta-file.ts";
import { deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import type { EndedRun } from "../../core/run.ts";
import { endOfWork } from "../../engine/steps/item-record.ts";
import type { Head } from "../../ports/journal.ts";
import type { Project } from "./project.ts";

/**
 * A run that is cancelled while it ends, after a merge that failed for instance, has its item marked as built on its
 * branch: that is taken back. Tells what could not be written; the decision stands.
 */
export async function takeBackBuilt(project: Project, run: EndedRun, head: Head): Promise<readonly string[]> {
  if (run.how !== "cancelled" || !isMarked(project, run)) return [];
  try {
    if (!(await isOnBranch(project, run))) return []; // elsewhere the record is another, or came with the merge
    await alone(project.folders.state, () => unmark(project, run), project.files);
    await commit(project, run, head);
    return [];
  } catch (error) {
    return [`The item's record may still say that it is built: ${messageOf(error)}`];
  }
}

/** By this run: an earlier build of the item stays what it was. */
function isMarked({ root }: Project, run: EndedRun): boolean {
  const names = run.run.item.split("/");
  return (
    unsafeParent(root, names) === null && readMetaJson(join(root, ...names))?.["build_completed_at"] === endOfWork(run)
  );
}

async function isOnBranch({ root }: Project, { run }: EndedRun): Promise<boolean> {
  const branch = run.git?.branch ?? null;
  return branch === null || (await createGitRead(root).facts())?.branch === branch;
}

function unmark({ root }: Project, run: EndedRun): void {
  const dir = join(root, ...run.run.item.split("/"));
  takeOutCompletion(dir, endOfWork(run));
  const marker = deriveBacklogMarker(readMetaJson(dir)?.analysis_status);
  updateBacklogMarker(join(root, "BACKLOG.md"), basename(dir), marker);
}

/** On the branch like what it takes back, so that the person finds nothing uncommitted. */
async function commit({ root }: Project, { run }: EndedRun, head: Head): Promise<void> {
  if (run.git === null || run.options.commits === "none") return;
  await createGitWrite(root).commit({
    message: "Item record: not built, the run was cancelled",
    attempt: `${run.run}/cancelled`,
    journal: `${head.seq}:${head.hash.slice(0, 16)}`,
    paths: [run.item, "BACKLOG.md"],
  });
}
