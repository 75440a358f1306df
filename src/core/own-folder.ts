/** The folder of this program in a working tree. It ignores itself in git, but for the overlays. */
export const OWN_FOLDER = ".isdlc";

/** Names in it; each item's analysis has the like of it in a folder of its own below `items`. */
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

/** Folders in it that this program fills. An agent's sandbox lets it write in none of them but its own run's of `work`. */
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

/** What its ignore file says. */
export const OWN_IGNORE = `*\n!${OWN.workflows}\n`;

/** Folders from the working tree to where a run has its files: the tree's own, or those of an item's analysis. */
export const ownFolders = (item: string | null): readonly string[] =>
  item === null ? [OWN_FOLDER] : [OWN_FOLDER, OWN.items, item];

/** A path in it, relative to the working tree, with forward slashes. */
export const ownPath = (...names: readonly string[]): string => [OWN_FOLDER, ...names].join("/");

/** True for the folder, and for every path in it, relative to the working tree. */
export const isOwnPath = (path: string): boolean => path === OWN_FOLDER || path.startsWith(`${OWN_FOLDER}/`);

/** Made anew by whoever needs them, and meaningless in another tree. */
const OF_THE_MOMENT =
  /^(?:items\/[^/]+\/)?(?:active|\.gitignore|(?:lock|driver)(?:\..*)?|journal\/(?:.*\/)?[^/]+\.(?:snap|tmp))$/;
const JOURNAL = /^((?:items\/[^/]+\/)?journal)\/(?:ended\/)?([^/]+)$/;
const HISTORY = /^(?:items\/[^/]+\/)?history\/[^/]+$/;

/** True for a path in it whose file says nothing once its moment is over. */
export const isOfTheMoment = (path: string): boolean => OF_THE_MOMENT.test(path);

/** Where a path in it belongs once its run has ended; null for what is not of one run. */
export function endedPath(path: string): string | null {
  const [, folder, name] = JOURNAL.exec(path) ?? [];
  if (folder !== undefined && name !== undefined) return `${folder}/${OWN.ended}/${name}`;
  return HISTORY.test(path) ? path : null;
}
