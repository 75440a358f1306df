import { isUtf8 } from "node:buffer";
import { listAnswers, shownDigest } from "../../app/answer/answer.ts";
import { PATCH_CUT } from "../../adapters/git/snapshot/tree-diff.ts";
import { patchText } from "../../adapters/git/snapshot/patch-text.ts";
import { sha256 } from "../../adapters/files/node-crypto.ts";
import { lastReviewedTree, runBegan } from "../../core/changes/last-reviewed-tree.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase, type EndedRun } from "../../core/run.ts";
import type { DocumentView, FileSide, WholeFile } from "../../schema/api-documents.ts";
import type { DiffAgainst, DiffView } from "../../schema/api-diff.ts";
import type { GateView, RunDetail } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { TreeId } from "../../schema/ids.ts";
import { diffFiles } from "../../views/page/diff-files.ts";
import { gateView } from "../../views/page/gate-view.ts";
import { runDetail } from "../../views/page/run-detail.ts";
import type { RunPlace } from "../../views/page/run-row.ts";
import type { PatchFacts } from "../../views/review-patch.ts";
import { visibleView } from "../../views/page/visible-view.ts";
import { patchFiles } from "../../views/patch-files.ts";
import { plainText } from "../../views/plain-text.ts";
import { readPatchFacts } from "../../engine/review-facts.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { visibleChange } from "../../views/visible-change.ts";

/** Maximum length of a document in a response, in characters. */
const DOCUMENT_LIMIT = 400_000;
/** Bytes in which a document of the maximum length fits in UTF-8. */
const MAX_READ_BYTES = 4 * DOCUMENT_LIMIT;

/** A run, with access to its data. */
export type RunSource = {
  readonly run: ActiveRun | EndedRun;
  readonly events: () => readonly RunEvent[] | Promise<readonly RunEvent[]>;
  /** Returns a file in a git tree, or null if it does not exist. */
  readonly file: (path: string, tree: TreeId | null) => Promise<Buffer | null>;
  /** Returns the patch between two git trees. */
  readonly patch: (from: TreeId | null, to: TreeId | null) => Promise<string>;
  readonly texts: Workspace["texts"];
  /** Returns the facts for marks on files; missing if they cannot be read here. */
  readonly marks?: (patch: string) => Promise<NonNullable<PatchFacts["background"]>>;
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
  const bytes = await source.file(path, tree);
  if (bytes === null || bytes.subarray(0, MAX_READ_BYTES).includes(0))
    return { path, text: null, isCut: false, notShown: bytes === null ? "" : `${bytes.length} bytes` };
  const read = bytes.subarray(0, MAX_READ_BYTES);
  const all = isUtf8(read) ? read.toString("utf8") : patchText(read);
  const text = all.slice(0, DOCUMENT_LIMIT);
  const isCut = bytes.length > MAX_READ_BYTES || all.length > DOCUMENT_LIMIT;
  return {
    path,
    text: visibleChange(text.replace(BYTE_ORDER_MARK, "")),
    isCut,
    notShown: isCut ? `${bytes.length - Buffer.byteLength(text)} of ${bytes.length} bytes` : "",
  };
}

/**
 * Reads a document produced by a phase of the run.
 * @throws ProblemError UNSAFE_PATH for any other path.
 */
export async function readDocumentView(source: RunSource, path: string): Promise<DocumentView> {
  const document = findDocument(source, path);
  if (document === undefined) throw notMade(path);
  return visibleView(await documentAt(source, document.artifact, document.tree));
}

const notMade = (path: string): ProblemError =>
  new ProblemError({ code: "UNSAFE_PATH", path, detail: "no phase of this run made it" });

function findDocument({ run }: RunSource, path: string) {
  const made = run.phases.flatMap((one) => (one.made === null ? [] : one.made));
  const found = made.flatMap(({ artifacts, tree }) => artifacts.map((artifact) => ({ artifact, tree })));
  return found.findLast(({ artifact }) => plainText(artifact) === path); // paths were sent to the web UI in this form
}

/** Maximum size of a file in a response, in bytes. */
const MAX_WHOLE_BYTES = 20_000_000;

/**
 * Reads all bytes of a document or a changed file, after or before the change. A deleted file is always read as it was
 * before.
 * @throws ProblemError UNSAFE_PATH for any other path.
 */
export async function readWholeFile(source: RunSource, path: string, side: FileSide = "new"): Promise<WholeFile> {
  const document = side === "new" ? findDocument(source, path) : undefined;
  const found = document ?? (await findChanged(source, path, side));
  const bytes = found === undefined ? null : await source.file(found.artifact, found.tree);
  if (bytes === null) throw notMade(path);
  return { path, bytes: bytes.length, base64: bytes.length > MAX_WHOLE_BYTES ? null : bytes.toString("base64") };
}

async function findChanged(source: RunSource, path: string, side: FileSide) {
  const { from, to } = changedTrees(source, "base");
  if (to === null) return undefined;
  const file = patchFiles(await source.patch(from, to)).find((one) => plainText(one.path) === path);
  if (file === undefined) return undefined;
  const isOld = side === "old" || file.change === "deleted";
  return isOld ? { artifact: file.was ?? file.path, tree: from } : { artifact: file.path, tree: to };
}

type ChangedTrees = { readonly from: TreeId | null; readonly to: TreeId | null };

function changedTrees({ run }: RunSource, against: DiffAgainst): ChangedTrees {
  const made = run.is === "active" ? currentPhase(run)?.made : run.phases.findLast((one) => one.made !== null)?.made;
  const first = run.phases[0]?.firstTree ?? null;
  const from = run.is === "active" ? treeBefore(run, against, first) : first;
  return { from, to: run.run.git === null ? null : (made?.tree ?? null) };
}

function treeBefore(run: ActiveRun, against: DiffAgainst, first: TreeId | null): TreeId | null {
  if (against === "seen") return lastReviewedTree(run);
  return against === "phase" ? (currentPhase(run)?.firstTree ?? first) : first;
}

/** Returns the changes up to the displayed git tree. The list is empty without git. */
export async function readDiffView(source: RunSource, against: DiffAgainst): Promise<DiffView> {
  const { from, to } = changedTrees(source, against);
  if (to === null) return { against, ...diffFiles("", sha256), isCut: false, notShown: "" };
  const patch = await source.patch(from, to);
  const note = PATCH_CUT.exec(patch);
  const [whole = patch, size = ""] = note === null ? [] : [patch.slice(0, note.index), note[1]];
  const known = await readPatchFacts(source, { base: runBegan(source.run).tree, from, to }, whole);
  const facts = source.marks === undefined ? known : { ...known, background: await source.marks(whole) };
  return visibleView({
    against,
    ...diffFiles(whole, sha256, facts),
    isCut: note !== null,
    notShown: note === null ? "" : `all changes after the first ${size}`,
  });
}
