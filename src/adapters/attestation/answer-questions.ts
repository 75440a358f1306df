import type { Answer, QuestionSequence, MergeAnswer, Question } from "../../core/attestation/question.ts";
import {
  isBacklogResolution,
  isRecordChange,
  isRecordPath,
  type TreeFile,
} from "../../core/attestation/record-files.ts";
import type { Git } from "../git/process/git.ts";
import { encodePath } from "../git/process/git-path.ts";
import { isObjectId } from "../git/process/ref-name.ts";
import { diffTrees } from "./tree-difference.ts";
import { fileInTree, readObjects, treeOfCommit } from "./verified-objects.ts";
import type { TreeEntry } from "../git/objects/tree-entries.ts";

/** Runs a calculation and answers its questions from the repository, each question once. */
export async function answerQuestions<T>(git: Git, calculation: QuestionSequence<T>): Promise<T> {
  const answers = new Map<string, Answer>();
  let step = calculation.next();
  while (step.done !== true) {
    const name = JSON.stringify(step.value);
    const answer = answers.get(name) ?? (await answerQuestion(git, step.value));
    answers.set(name, answer);
    step = calculation.next(answer);
  }
  return step.value;
}

const UNKNOWN = { is: "unknown" } as const;
const BACKLOG = "BACKLOG.md";

async function answerQuestion(git: Git, question: Question): Promise<Answer> {
  if (question.is === "merge") return mergeCommits(git, question);
  const { from, to, item } = question;
  const differences = await diffTrees(git, from, to);
  if (differences === null) return UNKNOWN;
  const folder = encodePath(item).toString("latin1");
  if (differences.some(({ path }) => !isRecordPath(folder, path))) return { is: "record-only", holds: false };
  for (const { path, before, after } of differences) {
    const [old, now] = [await readFile(git, before), await readFile(git, after)];
    if (old === undefined || now === undefined) return UNKNOWN;
    if (!isRecordChange(folder, { path, before: old, after: now })) return { is: "record-only", holds: false };
  }
  return { is: "record-only", holds: true };
}

/** Returns undefined if the object is missing. */
async function readFile(git: Git, entry: TreeEntry | null): Promise<TreeFile | null | undefined> {
  if (entry === null) return null;
  const object = (await readObjects(git, [entry.id])).get(entry.id);
  return object === undefined ? undefined : { mode: entry.mode, text: object.content.toString("latin1") };
}

type MergeQuestion = Extract<Question, { is: "merge" }>;

/** Exit status of git for a merge with conflicts. */
const CONFLICT = 1;

async function mergeCommits(git: Git, question: MergeQuestion): Promise<MergeAnswer> {
  const { first, second, expected } = question;
  const answer = await git(["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", first, second]);
  const [tree = "", ...paths] = answer.stdout.toString("latin1").split("\0");
  if (!isObjectId(tree)) return answer.status === CONFLICT ? { is: "conflict" } : UNKNOWN;
  if (answer.status === 0) return { is: "tree", tree };
  if (answer.status !== CONFLICT) return UNKNOWN;
  const conflicts = new Set(paths.filter((path) => path !== ""));
  const isBacklogAlone = conflicts.size === 1 && conflicts.has(BACKLOG);
  if (expected === null || !isBacklogAlone) return { is: "conflict" };
  const isResolved = await resolvesBacklog(git, { first, second, tree, expected });
  return isResolved ? { is: "tree", tree: expected } : { is: "conflict" };
}

type Resolution = Pick<MergeQuestion, "first" | "second"> & { readonly tree: string; readonly expected: string };

async function resolvesBacklog(git: Git, { first, second, tree, expected }: Resolution): Promise<boolean> {
  const differences = await diffTrees(git, tree, expected);
  if (differences === null || differences.some(({ path }) => path !== BACKLOG)) return false;
  if (differences.some(({ before, after }) => before?.mode !== after?.mode)) return false;
  const texts: string[] = [];
  for (const commit of [first, second]) {
    const side = await treeOfCommit(git, commit);
    const content = side === null ? null : await fileInTree(git, side, BACKLOG);
    if (content === null) return false;
    texts.push(content.toString("latin1"));
  }
  const resolved = await fileInTree(git, expected, BACKLOG);
  return resolved !== null && isBacklogResolution(resolved.toString("latin1"), texts);
}
