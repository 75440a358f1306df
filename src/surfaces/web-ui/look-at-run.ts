import { listAnswers, shownDigest } from "../../app/answer/answer.ts";
import { sha256 } from "../../adapters/files/node-crypto.ts";
import { lastReviewedTree } from "../../core/last-reviewed-tree.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase, type EndedRun } from "../../core/run.ts";
import type { DiffAgainst, DiffView, DocumentView, GateView, RunDetail } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { TreeId } from "../../schema/ids.ts";
import { diffFiles } from "../../views/page/diff-files.ts";
import { gateView } from "../../views/page/gate-view.ts";
import { runDetail } from "../../views/page/run-detail.ts";
import type { RunPlace } from "../../views/page/run-row.ts";
import { visibleView } from "../../views/page/visible-view.ts";
import { plainText } from "../../views/plain-text.ts";
import { visibleChange } from "../../views/visible-change.ts";

/** Maximum length of a document in a response, in characters. */
const DOCUMENT_LIMIT = 400_000;
/** Maximum length of all patches together, in characters. */
const DIFF_LIMIT = 12_000_000;

/** A run, with access to its data. */
export type RunSource = {
  readonly run: ActiveRun | EndedRun;
  readonly events: () => readonly RunEvent[] | Promise<readonly RunEvent[]>;
  /** Returns a file's text in a git tree, or null if it does not exist. */
  readonly file: (path: string, tree: TreeId | null) => Promise<string | null>;
  /** Returns the patch between two git trees. */
  readonly patch: (from: TreeId | null, to: TreeId | null) => Promise<string>;
};

export async function readRunDetail({ run, events }: RunSource, seen: RunPlace): Promise<RunDetail> {
  const open =
    run.is === "active" ? { options: listAnswers(run), shown: shownDigest(run) } : { options: [], shown: "" };
  return visibleView(runDetail(run, { ...seen, events: await events(), ...open }));
}

/**
 * `known`: the gate that the reader displays, if any. A reader never gets another gate in its place without a message.
 * @throws ProblemError COMMAND_REFUSED if no gate is open, or another one than `known`.
 */
export async function readGateView(source: RunSource, known: string | null): Promise<GateView> {
  const { run } = source;
  const view =
    run.is === "active"
      ? gateView(run, {
          events: await source.events(),
          documents: await readDocuments(source, run),
          options: listAnswers(run),
          shown: shownDigest(run),
        })
      : null;
  if (view !== null && (known === null || view.wait === known)) return visibleView(view);
  const open = run.is === "active" ? (run.wait?.id ?? null) : null;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open } });
}

async function readDocuments(source: RunSource, run: ActiveRun): Promise<DocumentView[]> {
  const made = currentPhase(run)?.made;
  const paths = [...new Set(made?.artifacts ?? [])].filter((path) => DOCUMENT.test(path));
  return Promise.all(paths.map((path) => documentAt(source, path, made?.tree ?? null)));
}

const BYTE_ORDER_MARK = /^\uFEFF/;
const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc|json|ya?ml)$/i;

async function documentAt(source: RunSource, path: string, tree: TreeId | null): Promise<DocumentView> {
  const text = await source.file(path, tree);
  if (text === null || text.includes("\0")) return { path, text: null, isCut: false };
  return {
    path,
    text: visibleChange(text.replace(BYTE_ORDER_MARK, "").slice(0, DOCUMENT_LIMIT)),
    isCut: text.length > DOCUMENT_LIMIT,
  };
}

/**
 * Reads a document produced by a phase of the run.
 * @throws ProblemError UNSAFE_PATH for any other path.
 */
export async function readDocumentView(source: RunSource, path: string): Promise<DocumentView> {
  const made = source.run.phases.flatMap((one) => (one.made === null ? [] : one.made));
  const found = made.flatMap(({ artifacts, tree }) => artifacts.map((artifact) => ({ artifact, tree })));
  const document = found.findLast(({ artifact }) => plainText(artifact) === path); // paths were sent to the web UI in this form
  if (document === undefined)
    throw new ProblemError({ code: "UNSAFE_PATH", path, detail: "no phase of this run made it" });
  return visibleView(await documentAt(source, document.artifact, document.tree));
}

/** Returns the changes up to the displayed git tree. The list is empty without git. */
export async function readDiffView({ run, patch: read }: RunSource, against: DiffAgainst): Promise<DiffView> {
  const made = run.is === "active" ? currentPhase(run)?.made : run.phases.findLast((one) => one.made !== null)?.made;
  const first = run.phases[0]?.firstTree ?? null;
  const from = against === "seen" && run.is === "active" ? lastReviewedTree(run) : first;
  if (run.run.git === null || !made) return { against, files: [], isCut: false };
  const patch = await read(from, made.tree);
  const isCut = patch.length > DIFF_LIMIT;
  return visibleView({ against, files: diffFiles(isCut ? patch.slice(0, DIFF_LIMIT) : patch, sha256), isCut });
}
