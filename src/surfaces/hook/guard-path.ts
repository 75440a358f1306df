import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";
import { mayWrite } from "../../core/plan.ts";
import type { Marker } from "./marker.ts";

/** Working tree and folders of a guarded tool call. */
export type GuardedTree = {
  /** Root of the working tree, with links resolved. */
  readonly root: string;
  /** Base folder for relative paths of the tool. */
  readonly cwd: string;
  readonly home: string;
  /** Folders of the user that are closed to agents: those of isdlc, and the settings of agent products. */
  readonly closed: () => readonly string[];
  /** Null if unreadable. */
  readonly marker: Marker | null;
  /** Resolves links; throws if the path does not exist. */
  readonly realpath: (path: string) => string;
};

/** Names at the root of a working tree that control an agent's programs and permissions. */
const SETTINGS = [".claude", ".codex", ".gemini", ".opencode", ".mcp.json", "opencode.json", "opencode.jsonc"];

/** Returns why a tool may not write this path now, with an alternative; null if it may. */
export function refuseWrite(place: GuardedTree, path: string): string | null {
  const real = realPath(place, path);
  const kept = refuseKept(place, real);
  if (kept !== null) return kept;
  if (!isInside(real, place.root)) return null;
  const { marker } = place;
  if (marker === null)
    return "the run that is open here cannot be read, so nothing may be written. The person can run: isdlc doctor";
  return refusePath(marker, relative(place.root, real).split(sep).join("/"));
}

function refusePath(marker: Marker, path: string): string | null {
  const { phase, wait, writes, item } = marker;
  if (wait !== null)
    return `the run waits for the person (${wait}). Write nothing until they answer; notify them, and stop`;
  if (writes === "nothing")
    return `nothing is to be written now (${phase}). Get your task: the tool "begin" of the isdlc server, or isdlc begin`;
  if (marker.later.includes(path))
    return `${path} belongs to a later phase, and ${phase} comes first. Finish it and report; isdlc then gives you the next`;
  if (mayWrite({ writes }, item, path)) return null;
  const where = writes === "tests" ? `tests, and below ${item}/` : `only below ${item}/`;
  return writes === "tree"
    ? `${path} is not yours to write`
    : `${phase} may write ${where}. Code has its own phase: report this one first`;
}

/** Returns why only its owner may write this path, in any state of the run; null for any other path. */
export function refuseKept(place: GuardedTree, real: string): string | null {
  const { root, closed, marker } = place;
  if (closed().some((folder) => isInside(real, folder)))
    return `${real} belongs to the person: their settings, or isdlc's own files. No agent may write it`;
  if (!isInside(real, root)) return null;
  const segments = relative(root, real).split(sep);
  if (marker !== null && isInside(real, join(root, marker.item)))
    return segments.slice(marker.item.split("/").length).some(isOurs) ? ownedByIsdlc(real) : null;
  if (segments.some(isOurs)) return ownedByIsdlc(real);
  const first = fold(segments[0] ?? "");
  return SETTINGS.includes(first)
    ? `${segments[0]} decides what programs and permissions this session has. It does not change while a run is open`
    : null;
}

const ownedByIsdlc = (real: string): string =>
  `${real} is written by isdlc and git alone. Read the state with isdlc status, isdlc gate or the isdlc tools; commits are made when the person accepts the phase`;

/** Folds a name like file systems that ignore case, trailing dots and spaces. */
const fold = (name: string): string => name.toLowerCase().replace(/[. ]+$/, "");
const isOurs = (name: string): boolean => fold(name) === OWN_FOLDER || fold(name) === ".git";

export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [path.toLowerCase(), folder.toLowerCase()];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

const MAX_PATH_LENGTH = 4096; // no system accepts a longer one

/** Resolves links in the existing part of the path. */
export function realPath({ cwd, home, realpath }: GuardedTree, path: string): string {
  const whole = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(cwd, path);
  if (whole.length > MAX_PATH_LENGTH) return whole;
  for (let known = whole, rest = ""; ; known = dirname(known)) {
    try {
      return join(realpath(known), rest);
    } catch {
      if (known === dirname(known)) return whole; // not even the root exists
      rest = join(basename(known), rest);
    }
  }
}
