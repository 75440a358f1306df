/** Folder of isdlc in a working tree. Its own `.gitignore` excludes all but the overlays. */
export const OWN_FOLDER = ".isdlc";

/** Names in the folder. Each item's analysis has a similar folder under `items`. */
export const OWN = {
  active: "active",
  driver: "driver",
  ended: "ended",
  history: "history",
  ignore: ".gitignore",
  items: "items",
  journal: "journal",
  leaving: "leaving",
  lock: "lock",
  moved: "moved",
  place: "place",
  removed: "removed",
  reviews: "reviews",
  runs: "runs",
  sessions: "sessions",
  state: "state.json",
  work: "work",
  workflows: "workflows.json",
  worktrees: "worktrees",
} as const;

/**
 * Subfolders filled by isdlc. The sandbox lets an agent write to none of them, except its own run's folder in `work`.
 */
export const FILLED_BY_US = [
  OWN.history,
  OWN.items,
  OWN.journal,
  OWN.removed,
  OWN.reviews,
  OWN.runs,
  OWN.sessions,
  OWN.work,
  OWN.worktrees,
] as const;

/** Content of the folder's `.gitignore`. */
export const OWN_IGNORE = `*\n!${OWN.workflows}\n`;

/** Folders from the working tree to the files of a run: those of the working tree, or of an item's analysis. */
export const ownFolders = (item: string | null): readonly string[] =>
  item === null ? [OWN_FOLDER] : [OWN_FOLDER, OWN.items, item];

/** Returns a path in the folder, relative to the working tree, with forward slashes. */
export const ownPath = (...names: readonly string[]): string => [OWN_FOLDER, ...names].join("/");

/** True for the folder and any path in it, relative to the working tree. */
export const isOwnPath = (path: string): boolean => path === OWN_FOLDER || path.startsWith(`${OWN_FOLDER}/`);

/** Files recreated on demand, without meaning in another working tree. */
const OF_THE_MOMENT =
  /^(?:items\/[^/]+\/)?(?:active|\.gitignore|(?:lock|driver)(?:\..*)?|journal\/(?:.*\/)?[^/]+\.(?:snap|tmp))$/;
const JOURNAL = /^((?:items\/[^/]+\/)?journal)\/(?:ended\/)?([^/]+)$/;
const HISTORY = /^(?:items\/[^/]+\/)?history\/[^/]+$/;

/** True for a path in the folder whose file is recreated on demand. */
export const isOfTheMoment = (path: string): boolean => OF_THE_MOMENT.test(path);

/** Returns where a path belongs after its run ended; null for a path without a run. */
export function endedPath(path: string): string | null {
  const [, folder, name] = JOURNAL.exec(path) ?? [];
  if (folder !== undefined && name !== undefined) return `${folder}/${OWN.ended}/${name}`;
  return HISTORY.test(path) ? path : null;
}
