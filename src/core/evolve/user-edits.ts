import type { TreeId } from "../../schema/ids.ts";
import type { ActiveRun } from "../run.ts";
import { changed } from "./changes.ts";

/** No agent works from here on: a later tree that differs from this one was changed by the user. */
export const watchUserEdits = (run: ActiveRun, tree: TreeId | null): ActiveRun =>
  changed(run, { untouched: tree === null ? null : { tree, phase: run.index } });

/** Records what differs from the tree of the gate as an edit of the user. */
export function recordUserEdit(run: ActiveRun, tree: TreeId | null): ActiveRun {
  const { untouched, userEdits } = run;
  if (untouched === null || tree === null || untouched.tree === tree) return run;
  const edit = { phase: untouched.phase, from: untouched.tree, to: tree };
  return changed(run, { userEdits: [...userEdits, edit], untouched: { ...untouched, tree } });
}

/** Forgets the edits at the gate of the current phase and of earlier ones: they were accepted, or the phase was skipped. */
export const settleUserEdits = (run: ActiveRun): ActiveRun =>
  changed(run, { userEdits: run.userEdits.filter(({ phase }) => phase > run.index), untouched: null });

/** Forgets the edits at the gates of the phase returned to and of later ones: their files are restored. */
export const dropUserEdits = (run: ActiveRun, index: number): ActiveRun =>
  changed(run, { userEdits: run.userEdits.filter(({ phase }) => phase < index), untouched: null });
