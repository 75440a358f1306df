import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder } from "../../../src/adapters/file-system/temporary-folder.ts";
import { resolveItem } from "../../../src/adapters/items/resolve-item.ts";
import { parseOverlay } from "../../../src/adapters/overlays/parse-overlay.ts";
import { findItem } from "../../../src/app/start/plan-target.ts";
import { resolveWorkflow } from "../../../src/compose/workflows.ts";
import { OWN, ownPath } from "../../../src/core/own-folder.ts";
import { readSettings } from "../../../src/core/supervision.ts";
import { type FoundItem, ITEMS_ROOT } from "../../../src/ports/items.ts";
import type { ResolvedWorkflow } from "../../../src/ports/workflows.ts";
import type { SettingsReading } from "../../../src/schema/facts.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { itemsAt } from "../page/items-at.ts";

/** What a commit of the repository says about a run that starts there, as the server reads it. */

type Files = Pick<RepositoryCopy, "readFile" | "git">;

/**
 * A workflow of this package with the overlay of the repository. Without a user who trusts it, an overlay only tightens.
 * @throws ProblemError OVERLAY_INVALID, WORKFLOW_UNKNOWN
 */
export async function readWorkflowAt(copy: Files, commit: string, name: string): Promise<ResolvedWorkflow> {
  const file = ownPath(OWN.workflows);
  const bytes = await copy.readFile(commit, file);
  if (bytes === null) return resolveWorkflow([], name);
  const content = parseOverlay(bytes.toString("utf8"), file);
  return resolveWorkflow([{ source: "repository", trusted: false, file, content }], name);
}

/** `supervised_mode` of a `state.json` that was committed. */
export async function readSettingsAt(copy: Files, commit: string): Promise<SettingsReading> {
  const bytes = await copy.readFile(commit, ownPath(OWN.state));
  if (bytes === null) return { is: "absent" };
  try {
    return readSettings(JSON.parse(bytes.toString("utf8")));
  } catch {
    return { is: "unreadable" };
  }
}

/**
 * The item that a request names, by the same rules as in a working tree.
 * @throws ProblemError ITEM_UNKNOWN; ChoicesNeeded if several match
 */
export async function findItemAt(copy: Files, commit: string, wanted: string): Promise<FoundItem | null> {
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
