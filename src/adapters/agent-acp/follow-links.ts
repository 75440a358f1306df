import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";

/** Same limit as the operating system. */
const MAX_LINKS = 40;

/** Characters of a path. The operating system has the same limit. */
export const MAX_PATH_LENGTH = 4096;

/**
 * Resolves the symbolic links of a path, even if the target does not exist. Circular links and paths that are too long
 * resolve to the root.
 */
export function followLinks(path: string): string {
  return path.length > MAX_PATH_LENGTH ? parse(path).root : follow(path, MAX_LINKS);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links === 0) return parse(path).root;
    const place = follow(parent, links);
    const target = linkTarget(join(place, basename(path)));
    return target === null ? join(place, basename(path)) : follow(resolve(place, target), links - 1);
  }
}

/** Returns null if the path is not a link. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
