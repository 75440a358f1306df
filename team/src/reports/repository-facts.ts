import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder } from "../../../src/adapters/files/temporary-folder.ts";
import { resolveItem } from "../../../src/adapters/project-files/resolve-item.ts";
import { parseOverlay } from "../../../src/adapters/project-files/parse-overlay.ts";
import { findItem } from "../../../src/app/start/plan-target.ts";
import { resolveWorkflow } from "../../../src/compose/workflows.ts";
import { OWN, ownPath } from "../../../src/core/own-folder.ts";
import { readSettings } from "../../../src/core/supervision.ts";
import { type FoundItem, ITEMS_ROOT } from "../../../src/ports/items.ts";
import type { ResolvedWorkflow } from "../../../src/ports/workflows.ts";
import type { SettingsReading } from "../../../src/schema/facts.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { itemsAt } from "../page/items-at.ts";

/** Facts about a run's start, read by the server from a commit of the repository. */

type CopyReader = Pick<RepositoryCopy, "readFile" | "git">;

/**
 * Reads a workflow of this package with the repository's overlay. Without a user who trusts it, an overlay can only
 * tighten. @throws ProblemError OVERLAY_INVALID, WORKFLOW_UNKNOWN
 */
export async function readWorkflowAt(copy: CopyReader, commit: string, name: string): Promise<ResolvedWorkflow> {
  const file = ownPath(OWN.workflows);
  const bytes = await copy.readFile(commit, file);
  if (bytes === null) return resolveWorkflow([], name);
  const content = parseOverlay(bytes.toString("utf8"), file);
  return resolveWorkflow([{ source: "repository", trusted: false, file, content }], name);
}

/** Reads `supervised_mode` from a committed `state.json`. */
export async function readSettingsAt(copy: CopyReader, commit: string): Promise<SettingsReading> {
  const bytes = await copy.readFile(commit, ownPath(OWN.state));
  if (bytes === null) return { is: "absent" };
  try {
    return readSettings(JSON.parse(bytes.toString("utf8")));
  } catch {
    return { is: "unreadable" };
  }
}

/**
 * Finds the item named by a request, with the rules of a working tree. @throws ProblemError ITEM_UNKNOWN;
 * ChoicesNeeded if several match
 */
export async function findItemAt(copy: CopyReader, commit: string, wanted: string): Promise<FoundItem | null> {
  const items = await itemsAt(copy.git, commit);
  const backlog = await copy.readFile(commit, BACKLOG);
  return inTemporaryFolder((folder) => {
    for (const { slug, meta } of items.all()) {
      mkdirSync(join(folder, ITEMS_ROOT, slug), { recursive: true });
      if (meta !== null) writeFileSync(join(folder, ITEMS_ROOT, slug, "meta.json"), JSON.stringify(meta));
    }
    if (backlog !== null) writeFileSync(join(folder, BACKLOG), backlog);
    const find = (text: string) => resolveItem(text, join(folder, ITEMS_ROOT), join(folder, BACKLOG));
    return Promise.resolve(findItem({ items: { find } }, wanted));
  });
}

const BACKLOG = "BACKLOG.md";
