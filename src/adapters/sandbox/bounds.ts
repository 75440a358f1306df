import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Bound } from "./bwrap-arguments.ts";
/** Mounted empty in each sandbox. Sockets in /run reach services that could start programs outside of it. */
export const HIDDEN: readonly string[] = ["/tmp", "/var/tmp", "/run", "/var/run"];

type HiddenPaths = { readonly home: string; readonly hidden: readonly string[] };

/** Returns the existing paths, without those that would reveal hidden ones. */
export function findBounds(paths: readonly string[], around: HiddenPaths): readonly Bound[] {
  return paths
    .flatMap((path) => boundAt(path, around))
    .filter(({ at }) => !around.hidden.some((inner) => isWithin(inner, at)));
}

/** Binds the real path and, under hidden folders, also the given one: its links are missing there. */
function boundAt(path: string, { home, hidden }: HiddenPaths): readonly Bound[] {
  const from = real(path);
  if (from === null) return [];
  const called = isWithin(path, home) ? join(realpathSync(home), path.slice(home.length)) : path;
  const names = [called, path].filter((name) => hidden.some((folder) => isWithin(name, folder)));
  return [...new Set([from, ...names])].map((at) => ({ from, at }));
}

/** Returns the paths, and all other places where a bind mount shows them. */
export function everywhere(paths: readonly string[], bounds: readonly Bound[]): readonly string[] {
  const shown = bounds.flatMap(({ from, at }) =>
    paths.filter((path) => isWithin(path, from)).map((path) => join(at, relative(from, path))),
  );
  return [...new Set([...paths, ...shown])];
}

/** Removes paths inside other bound folders: they are visible already, and a link in them could redirect a mount. */
export function outermost(bounds: readonly Bound[]): readonly Bound[] {
  const sorted = bounds.toSorted((one, other) => one.at.length - other.at.length);
  return sorted.filter(({ at }, index) => !sorted.slice(0, index).some((other) => isWithin(at, other.at)));
}

/** Returns real paths of the existing ones, without duplicates. */
export const existing = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.flatMap((path) => real(path) ?? [])),
];

export function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // missing or no permission
  }
}

export const self = (path: string): Bound => ({ from: path, at: path });

/** Returns true for the folder itself and everything under it. Both paths are absolute, without `..`. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
