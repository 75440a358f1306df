import { answersOf, shownOf } from "../../app/answer/answer.ts";
import { createGitWorkspace } from "../../adapters/git/snapshot/git-workspace.ts";
import { readTreeFile } from "../../adapters/git/snapshot/tree-file.ts";
import { sha256 } from "../../adapters/file-system/node-crypto.ts";
import { lastReviewedTree } from "../../core/last-reviewed-tree.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { DiffAgainst, DiffView, DocumentView, GateView, RunDetail, Story } from "../../schema/api.ts";
import { diffFiles } from "../../views/page/diff-files.ts";
import { gateView } from "../../views/page/gate-view.ts";
import { runDetail } from "../../views/page/run-detail.ts";
import { STORY_PART, storyOf } from "../../views/page/story.ts";
import { type FoundRun, isDriven } from "./repository.ts";

/** Characters of a document that are sent. */
const DOCUMENT_LIMIT = 400_000;
/** Characters of all patches together. */
const DIFF_LIMIT = 12_000_000;

export function detailOf(found: FoundRun): RunDetail {
  const { run, project, place } = found;
  const events = project.journal.events(run.run.run);
  const open = run.is === "active" ? { options: answersOf(run), shown: shownOf(run) } : { options: [], shown: "" };
  return runDetail(run, { place, isDriven: isDriven(found), events, ...open });
}

/** Events before the first that is told, among which is mostly the one that says which phase it belongs to. */
const LOOKED_BACK = 500;

/** A part of the story; of a long one the rest is not even read. */
export function storyFrom({ run, project }: FoundRun, from: number): Story {
  const begins = Math.max(1, from);
  const first = Math.max(1, begins - LOOKED_BACK);
  const most = begins - first + STORY_PART + 1; // one more tells that there is more
  return storyOf(project.journal.part(run.run.run, { from: first, most }), begins);
}

/** @throws ProblemError COMMAND_REFUSED where no gate is open. */
export async function gateOf(found: FoundRun): Promise<GateView> {
  const { run, project } = found;
  const view =
    run.is === "active"
      ? gateView(run, {
          events: project.journal.events(run.run.run),
          documents: await documentsOf(found, run),
          options: answersOf(run),
          shown: shownOf(run),
        })
      : null;
  if (view !== null) return view;
  const open = run.is === "active" ? (run.wait?.id ?? null) : null;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open } });
}

async function documentsOf(found: FoundRun, run: ActiveRun): Promise<DocumentView[]> {
  const made = currentPhase(run)?.made;
  const paths = [...new Set(made?.artifacts ?? [])].filter((path) => DOCUMENT.test(path));
  return Promise.all(paths.map((path) => documentAt(found, path, made?.tree ?? null)));
}

const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc|json|ya?ml)$/i;

/** A document of the run: as it is in the tree that was shown, else in the working tree. */
export async function documentAt(found: FoundRun, path: string, tree: string | null): Promise<DocumentView> {
  const { project } = found;
  const kept = tree === null ? null : await readTreeFile(project.root, { tree, path }, project.env);
  const text = kept ?? project.projections.readArtifact(path);
  if (text === null || text.includes("\0")) return { path, text: null, isCut: false };
  return { path, text: text.slice(0, DOCUMENT_LIMIT), isCut: text.length > DOCUMENT_LIMIT };
}

/** A document that a phase of the run made; any other path is none of it. @throws ProblemError UNSAFE_PATH. */
export async function documentOf(found: FoundRun, path: string): Promise<DocumentView> {
  const phase = found.run.phases.findLast(({ made }) => made?.artifacts.includes(path) === true);
  if (phase === undefined)
    throw new ProblemError({ code: "UNSAFE_PATH", path, detail: "no phase of this run made it" });
  return documentAt(found, path, phase.made?.tree ?? null);
}

/** What changed up to the tree that is shown. Empty where no git tells. */
export async function diffOf({ run, project }: FoundRun, against: DiffAgainst): Promise<DiffView> {
  const made = run.is === "active" ? currentPhase(run)?.made : run.phases.findLast((one) => one.made !== null)?.made;
  const first = run.phases[0]?.firstTree ?? null;
  const from = against === "seen" && run.is === "active" ? lastReviewedTree(run) : first;
  if (run.run.git === null || !made) return { against, files: [], isCut: false };
  const patch = await createGitWorkspace(project.root, { run: run.run.run, env: project.env }).patch(from, made.tree);
  const isCut = patch.length > DIFF_LIMIT;
  return { against, files: diffFiles(isCut ? patch.slice(0, DIFF_LIMIT) : patch, sha256), isCut };
}
