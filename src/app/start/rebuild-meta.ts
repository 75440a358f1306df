import { readBacklogItem } from "../../core/items/backlog-line.ts";
import type { RunState } from "../../core/run.ts";
import { type FoundItem, ITEMS_ROOT } from "../../ports/items.ts";
import { currentRun } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";

/**
 * Replaces a damaged `meta.json` of the given item and keeps the damaged file. The title comes from the backlog or the
 * draft, the phases from the journals if their documents exist. Only regular files are replaced. Returns messages for
 * the user.
 */
export async function rebuildMeta(project: Project, words: string): Promise<readonly string[]> {
  const item = words === "" ? null : project.items.find(words);
  if (item === null || "multiple" in item || item.dir === null) return [];
  const reading = project.items.inspect(item);
  if (reading.is !== "damaged" || reading.text === null) return [];
  const phases = await listPhases(project, item.slug);
  const created_at = project.clock.now();
  const meta = { description: findTitle(project, item), slug: item.slug, created_at, phases_completed: phases };
  const aside = project.items.replaceDamaged(item.slug, reading.text, meta);
  if (aside === null) return []; // reported as damaged when it is read
  const told = phases.length === 0 ? "no phase of its analysis is on record" : `on record: ${phases.join(", ")}`;
  const file = `${ITEMS_ROOT}/${item.slug}/meta.json`;
  return [`warning: ${file} was damaged. It is kept as ${aside} and was rebuilt; ${told}.`];
}

function findTitle({ projections }: Project, { slug, backlogLine }: FoundItem): string {
  const draft = projections.readArtifact(`${ITEMS_ROOT}/${slug}/draft.md`) ?? "";
  return readBacklogItem(backlogLine)?.title ?? /^# (.+)$/m.exec(draft)?.[1]?.trim() ?? slug;
}

/** Lists analysis phases accepted in a run of this item whose documents exist. */
async function listPhases(project: Project, slug: string): Promise<string[]> {
  const item = `${ITEMS_ROOT}/${slug}`;
  const runs = await Promise.all([project, ...project.siblings()].map((one) => currentRun(one)));
  const names = project.projections.itemNames(item);
  return [...new Set(runs.flatMap(({ state }) => acceptedIn(state, item, names)))].toSorted();
}

function acceptedIn(state: RunState, item: string, names: readonly string[]): string[] {
  if (state.is === "none" || state.run.item !== item) return [];
  const passed = state.is === "active" ? state.phases.slice(0, state.index) : state.phases;
  const accepted = passed.filter(({ rule, status, dropped }) => rule.analysis && status === "completed" && !dropped);
  const written = accepted.filter(({ rule }) => rule.outputs.every((name) => names.includes(name)));
  return [...state.run.analysed, ...written.map(({ rule }) => rule.key)];
}
