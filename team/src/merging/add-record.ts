import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inTemporaryFolder } from "../../../src/adapters/files/temporary-folder.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { treeWithFiles } from "../../../src/adapters/git/write/resolve-backlog.ts";
import { createItemRecords } from "../../../src/adapters/project-files/create-item-records.ts";
import { createFeatureRecords } from "../../../src/adapters/project-files/create-feature-records.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { writeRecords } from "../../../src/engine/steps/finish.ts";
import { recordDocuments } from "../../../src/engine/steps/item-record.ts";
import type { Head } from "../../../src/ports/journal.ts";
import type { CommitId, TreeId } from "../../../src/schema/ids.ts";
import type { Finish } from "../../../src/schema/plan.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { identity, readTree } from "./merge-onto-base.ts";

export type RecordOrder = {
  readonly run: ActiveRun;
  readonly how: Finish;
  readonly author: string;
  readonly at: string;
  readonly head: Head;
};

/**
 * Commits the end of the run to isdlc's own documents, as recorded in the journal. Only documents in the accepted
 * commit are changed: documents ignored by the repository are not in it. With `commits: "end"` the same commit
 * contains the work. Returns the given commit if nothing changes.
 */
export async function addRecord(copy: RepositoryCopy, order: RecordOrder, commit: CommitId): Promise<CommitId> {
  const { run, how, head } = order;
  const isWhole = run.run.options.commits === "end";
  const before = await readTree(copy, commit);
  const work = isWhole ? await readWork(copy, order, commit) : before;
  const edited = await editDocuments(copy, work, { run, how });
  const tree = edited.size === 0 ? work : await treeWithFiles(copy.git, work, edited);
  if (tree === before) return commit;
  const subject = isWhole ? run.run.title : `Item record: ${run.run.title}`;
  const attempt = `${run.run.run}/${isWhole ? "end" : "record"}`;
  const trailers = `Isdlc-Attempt: ${attempt}\nIsdlc-Journal: ${head.seq}:${head.hash.slice(0, 16)}\n`;
  return commitTree(copy, order, { tree, parent: commit, message: `${subjectLine(subject)}\n\n${trailers}` });
}

export const subjectLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .slice(0, 100)
    .trim();

async function editDocuments(
  copy: RepositoryCopy,
  tree: TreeId,
  { run, how }: Pick<RecordOrder, "run" | "how">,
): Promise<ReadonlyMap<string, Buffer | null>> {
  const documents = new Map<string, Buffer>();
  for (const path of recordDocuments(run)) {
    const content = await copy.readFile(tree, path);
    if (content !== null) documents.set(path, content);
  }
  if (documents.size === 0) return documents;
  return inTemporaryFolder((folder) => {
    for (const [path, content] of documents) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    writeRecords(
      { items: createItemRecords(folder, folder, ignore), features: createFeatureRecords(folder, ignore) },
      run,
      how,
    );
    const after = [...documents].map(([path, before]) => ({ path, before, content: readIfThere(join(folder, path)) }));
    const changed = after.filter(({ before, content }) => content === null || !before.equals(content));
    return Promise.resolve(new Map(changed.map(({ path, content }) => [path, content])));
  });
}

const readIfThere = (path: string): Buffer | null => (existsSync(path) ? readFileSync(path) : null);

/** A document that cannot be updated stays unchanged. */
const ignore = (): void => undefined;

const readWork = async (copy: RepositoryCopy, order: RecordOrder, commit: CommitId): Promise<TreeId> =>
  (await readShownTree(copy, order, commit)) ?? withWork(copy, order, commit);

/** Applies the changes between the first and the last snapshot of the run to the commit. */
async function withWork(copy: RepositoryCopy, order: RecordOrder, commit: CommitId): Promise<TreeId> {
  const { phases, run } = order.run;
  const from = phases[0]?.firstTree ?? null;
  const to = phases.map(({ made }) => made?.tree ?? null).findLast((tree) => tree !== null) ?? null;
  if (from === null || to === null || from === to) return readTree(copy, commit);
  await copy.fetch([from, to].map((tree) => `refs/isdlc/${run.run}/${tree}`));
  const before = await commitTree(copy, order, { tree: from, parent: null, message: "before" });
  const [ours, theirs] = await Promise.all([
    commitTree(copy, order, { tree: await readTree(copy, commit), parent: before, message: "ours" }),
    commitTree(copy, order, { tree: to, parent: before, message: "theirs" }),
  ]);
  const merged = await copy.git(["merge-tree", "--write-tree", "--no-messages", ours, theirs]);
  if (merged.status === 0) return merged.stdout.toString("latin1").trim();
  const branch = run.git?.branch ?? "";
  throw new ProblemError({ code: "MERGE_CONFLICT", branch, base: run.git?.base ?? "", files: [] });
}

/** Returns the tree shown at the last gate as the run's commit, with line ends as git stores them. */
async function readShownTree(
  copy: RepositoryCopy,
  { run: { phases, run } }: RecordOrder,
  commit: CommitId,
): Promise<TreeId | null> {
  const last = phases.map(({ made }) => made).findLast((made) => made !== null && made.tree !== null);
  if (last?.wholeTree === undefined || last.standing?.tip !== commit) return null;
  const ref = `refs/isdlc/${run.run}/${last.wholeTree}`;
  return (await copy.fetch([ref])).get(ref) === last.wholeTree ? last.wholeTree : null;
}

type NewCommit = { readonly tree: TreeId; readonly parent: CommitId | null; readonly message: string };

async function commitTree({ git }: RepositoryCopy, order: RecordOrder, made: NewCommit): Promise<CommitId> {
  const args = ["commit-tree", made.tree, ...(made.parent === null ? [] : ["-p", made.parent]), "-F", "-"];
  const options = { input: Buffer.from(made.message), environment: identity(order) };
  return (await must(git(args, options), "commit-tree")).toString("latin1").trim();
}
