import { type FoundItem, ITEMS_ROOT } from "../../ports/items.ts";
import { type BlastRadiusStaleness, checkBlastRadiusStaleness } from "../../core/items/blast-radius.ts";
import type { AcceptedStale, ItemMeta, MetaFields } from "../../core/items/item-meta.ts";
import { isSameCommit } from "../../core/items/staleness.ts";
import { isRecord } from "../../core/own-value.ts";
import type { CommitId } from "../../schema/ids.ts";
import { changedFilesLines, stalenessNote, stalenessWarning } from "../../views/build-summary.ts";
import type { Project } from "../project/project.ts";
import type { PlanningContext } from "./planning.ts";

/** Analysed item, and the code version in its record. */
export type AnalysedItem = { readonly item: FoundItem; readonly meta: ItemMeta };

/** Decision about a stale analysis. The choice is null if the code did not change, or not in a way that matters. */
export type StalenessPlan = {
  readonly choice: "proceed" | "rescan" | "reanalyze" | null;
  /** Fields for the item's record once the build has started. */
  readonly record: MetaFields;
};

type Staleness =
  | { readonly is: "fresh" | "unknown" }
  | { readonly is: "unrecorded" | "accepted"; readonly head: CommitId }
  | { readonly is: "noted"; readonly note: string }
  | {
      readonly is: "stale";
      readonly head: CommitId;
      readonly about: readonly string[];
      readonly changes: { readonly since: string; readonly paths: readonly string[] };
    };

const nothing: StalenessPlan = { choice: null, record: {} };

/** Checks if the code changed since the analysis. The user decides if enough files cited by the analysis changed. */
export async function planStaleness(planning: PlanningContext, analysed: AnalysedItem): Promise<StalenessPlan> {
  const { project, request, notes } = planning;
  const standing = await readStaleness(project, analysed);
  switch (standing.is) {
    case "fresh":
    case "accepted":
      return nothing;
    case "unknown":
      notes.push("warning: cannot check if the analysis is stale, because git could not resolve HEAD.");
      return nothing;
    case "unrecorded":
      return { choice: null, record: { codebase_hash: standing.head } };
    case "noted":
      notes.push(standing.note);
      return nothing;
    case "stale": {
      const { head, about, changes } = standing;
      const choice = planning.choices.resolve<StalenessChoice>(
        { id: "stale", kind: "stale", options: OPTIONS, about, changes },
        "proceed",
      );
      const at = project.clock.now();
      return {
        choice,
        record: toMetaFields(choice, { accepted: { hash: head, by: request.by.name, at }, ...analysed }),
      };
    }
    default:
      return standing satisfies never;
  }
}

const OPTIONS = ["proceed", "rescan", "reanalyze"] as const;

/** Reports changed code without asking. */
export async function staleNotes(project: Project, analysed: AnalysedItem): Promise<readonly string[]> {
  const standing = await readStaleness(project, analysed);
  if (standing.is === "noted") return [standing.note];
  return standing.is === "stale" ? [`warning: ${standing.about.join(" ")}`] : [];
}

async function readStaleness({ history, projections }: Project, { item, meta }: AnalysedItem): Promise<Staleness> {
  const stored = meta["codebase_hash"];
  const head = await history.head();
  if (head === null) return { is: "unknown" };
  if (typeof stored !== "string" || stored === "") return { is: "unrecorded", head };
  if (isSameCommit(stored, head)) return { is: "fresh" };
  if (listAccepted(meta).some(({ hash }) => hash === head)) return { is: "accepted", head };
  const { commits, changed } = await history.since(stored);
  const impact = projections.readArtifact(`${ITEMS_ROOT}/${item.slug}/impact-analysis.md`);
  const radius = checkBlastRadiusStaleness(meta, head, impact, changed);
  const { severity, overlappingFiles } = radius;
  if (severity === "none" && changed.length === 0) return { is: "fresh" };
  const moved = stalenessWarning({ originalHash: stored, currentHash: head, commits });
  if (severity === "none" || (severity === "info" && !isMostChanged(radius)))
    return { is: "noted", note: `${moved}\n${stalenessNote(overlappingFiles)}` };
  const { paths, lines } = changedFiles(overlappingFiles, changed);
  return { is: "stale", head, about: [...moved.split("\n"), ...lines], changes: { since: stored, paths } };
}

/** Returns the changed files cited by the analysis; all changed files if it cites none in a readable form. */
function changedFiles(
  cited: readonly string[],
  changed: readonly string[] | "unknown",
): { readonly paths: readonly string[]; readonly lines: readonly string[] } {
  const paths = cited.length > 0 || changed === "unknown" ? cited : changed;
  return { paths, lines: paths.length === 0 ? [] : changedFilesLines(paths, cited.length > 0) };
}

/** The documented threshold is four files. A smaller analysis is stale once most of its files changed. */
const isMostChanged = ({ overlappingFiles, blastRadiusFileCount }: BlastRadiusStaleness): boolean =>
  overlappingFiles.length * 2 > blastRadiusFileCount;

type StalenessChoice = NonNullable<StalenessPlan["choice"]>;

type AcceptedMove = { readonly accepted: AcceptedStale; readonly meta: ItemMeta };

/** Records an accepted commit with user and time, to not ask about it again. */
function toMetaFields(choice: StalenessChoice, { accepted, meta }: AcceptedMove): MetaFields {
  if (choice === "proceed") return { accepted_stale: [...listAccepted(meta), accepted] };
  if (choice === "rescan") return {}; // the commit is recorded once the new scan is accepted
  return { codebase_hash: accepted.hash, phases_completed: [], analysis_status: "raw" };
}

function listAccepted(meta: ItemMeta): AcceptedStale[] {
  const list = meta["accepted_stale"];
  return Array.isArray(list) ? (list.filter(isRecord) as AcceptedStale[]) : []; // entries are compared, never trusted
}
