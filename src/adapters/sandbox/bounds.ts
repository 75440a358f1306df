import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Bound } from "./bwrap-arguments.ts";
import { isWithin } from "./is-within.ts";

/** Private to every execution. Sockets in /run lead to services that would start programs outside. */
export const HIDDEN: readonly string[] = ["/tmp", "/var/tmp", "/run", "/var/run"];

type HiddenPaths = { readonly home: string; readonly hidden: readonly string[] };

/** Those of the paths that are there, and do not bring back what is hidden. */
export function findBounds(paths: readonly string[], around: HiddenPaths): readonly Bound[] {
  return paths
    .flatMap((path) => boundAt(path, around))
    .filter(({ at }) => !around.hidden.some((inner) => isWithin(inner, at)));
}

/** At its real place, and below something hidden also at the one it is called by: the links there are gone. */
function boundAt(path: string, { home, hidden }: HiddenPaths): readonly Bound[] {
  const from = real(path);
  if (from === null) return [];
  const called = isWithin(path, home) ? join(realpathSync(home), path.slice(home.length)) : path;
  const names = [called, path].filter((name) => hidden.some((folder) => isWithin(name, folder)));
  return [...new Set([from, ...names])].map((at) => ({ from, at }));
}

/** The paths, and wherever else something that is bound shows them. */
export function everywhere(paths: readonly string[], bounds: readonly Bound[]): readonly string[] {
  const shown = bounds.flatMap(({ from, at }) =>
    paths.filter((path) => isWithin(path, from)).map((path) => join(at, relative(from, path))),
  );
  return [...new Set([...paths, ...shown])];
}

/** What lies in a folder that is bound is there already, and a link in it may lead a mount astray. */
export function outermost(bounds: readonly Bound[]): readonly Bound[] {
  const sorted = bounds.toSorted((one, other) => one.at.length - other.at.length);
  return sorted.filter(({ at }, index) => !sorted.slice(0, index).some((other) => isWithin(at, other.at)));
}

/** Real paths of those that exist, each once. */
export const existing = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.flatMap((path) => real(path) ?? [])),
];

export function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // nothing there, or not for us
  }
}

export const self = (path: string): Bound => ({ from: path, at: path });
