import { createDetection } from "../../adapters/git/read/git-distance.ts";
import type { FoundItem } from "../../adapters/items/resolve-item.ts";
import { checkBlastRadiusStaleness } from "../../core/items/blast-radius.ts";
import type { AcceptedStale, ItemMeta, MetaFields } from "../../core/items/item-meta.ts";
import { isSameCommit } from "../../core/items/staleness.ts";
import { isRecord } from "../../core/own-value.ts";
import { stalenessMenu, stalenessNote, stalenessWarning } from "../../views/build-summary.ts";
import { askAbout } from "./terminal/ask.ts";
import { ChoiceNeeded } from "./grammar/choice.ts";
import { ITEMS_ROOT } from "./item-documents.ts";
import type { LocalProject } from "../../compose/project.ts";
import { systemClock } from "../../compose/place.ts";
import { type Invocation, text } from "./grammar/verb.ts";

/** What an analysed item's record says about the code it was made for. */
export type Analysed = { readonly project: LocalProject; readonly item: FoundItem; readonly meta: ItemMeta };

/** What to do about code that moved on; nothing where it did not, or where it does not matter. */
export type Resolved = {
  readonly choice: "proceed" | "rescan" | "reanalyze" | null;
  /** To be kept in the item's record once the build is begun. */
  readonly record: MetaFields;
};

type Standing =
  | { readonly is: "fresh" | "unknown" }
  | { readonly is: "unrecorded" | "accepted"; readonly head: string }
  | { readonly is: "noted"; readonly note: string }
  | { readonly is: "stale"; readonly head: string; readonly about: readonly string[] };

const nothing: Resolved = { choice: null, record: {} };

/** The code may have moved on since the analysis: a person chooses where it moved where the analysis looked. */
export async function resolveStaleness(invocation: Invocation, analysed: Analysed, by: string): Promise<Resolved> {
  const standing = await standingOf(analysed);
  switch (standing.is) {
    case "fresh":
    case "accepted":
      return nothing;
    case "unknown":
      invocation.io.err("warning: git could not tell where HEAD is, so it is not known whether the analysis is stale.");
      return nothing;
    case "unrecorded":
      return { choice: null, record: { codebase_hash: standing.head } };
    case "noted":
      invocation.io.err(standing.note);
      return nothing;
    case "stale": {
      const choice = await choose(invocation, standing.about);
      return { choice, record: recordOf(choice, { head: standing.head, by, meta: analysed.meta }) };
    }
    default:
      return standing satisfies never;
  }
}

/** Says that the code moved on; asks nothing. */
export async function warnWhenStale({ io }: Invocation, analysed: Analysed): Promise<void> {
  const standing = await standingOf(analysed);
  if (standing.is === "noted") io.err(standing.note);
  if (standing.is === "stale") io.err(`warning: ${standing.about.join(" ")}`);
}

async function standingOf({ project, item, meta }: Analysed): Promise<Standing> {
  const stored = meta["codebase_hash"];
  const detection = createDetection(project.root);
  const head = await detection.head();
  if (head === null) return { is: "unknown" };
  if (typeof stored !== "string" || stored === "") return { is: "unrecorded", head };
  if (isSameCommit(stored, head)) return { is: "fresh" };
  if (acceptedOf(meta).some(({ hash }) => hash === head)) return { is: "accepted", head };
  const { commits, changed } = await detection.since(stored);
  const impact = project.projections.readArtifact(`${ITEMS_ROOT}/${item.slug}/impact-analysis.md`);
  const { severity, overlappingFiles } = checkBlastRadiusStaleness(meta, head, impact, changed);
  if (severity === "none" && changed.length === 0) return { is: "fresh" };
  if (severity === "none")
    return { is: "noted", note: "The code changed since the analysis, but nowhere it looked at." };
  if (severity === "info") return { is: "noted", note: stalenessNote(overlappingFiles) };
  const about = stalenessWarning({ originalHash: stored, currentHash: head, commits }).split("\n");
  return { is: "stale", head, about };
}

type Choice = NonNullable<Resolved["choice"]>;

async function choose({ values, io }: Invocation, about: readonly string[]): Promise<Choice> {
  const flagged = text(values, "on-stale");
  if (flagged === "proceed" || flagged === "rescan" || flagged === "reanalyze") return flagged;
  const key = await askAbout(io, [...about, "", ...stalenessMenu.split("\n")], ["p", "q", "a"]);
  if (key !== null) return ({ p: "proceed", q: "rescan", a: "reanalyze" } as const)[key];
  const options = ["proceed", "rescan", "reanalyze"];
  throw new ChoiceNeeded({ kind: "stale", options, flag: "--on-stale <option>", about });
}

type Moved = { readonly head: string; readonly by: string; readonly meta: ItemMeta };

/** What is accepted is remembered with who and when, so that the same commit is not asked about again. */
function recordOf(choice: Choice, { head, by, meta }: Moved): MetaFields {
  if (choice === "proceed") return { accepted_stale: [...acceptedOf(meta), { hash: head, by, at: systemClock.now() }] };
  return { codebase_hash: head, ...(choice === "reanalyze" ? { phases_completed: [], analysis_status: "raw" } : {}) };
}

function acceptedOf(meta: ItemMeta): AcceptedStale[] {
  const list = meta["accepted_stale"];
  return Array.isArray(list) ? (list.filter(isRecord) as AcceptedStale[]) : []; // entries are compared, never trusted
}
