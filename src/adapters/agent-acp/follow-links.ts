import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";

/** As many as the system itself would follow. */
const MAX_LINKS = 40;

/** Characters of a path; the system takes no longer ones either. */
export const MAX_PATH_LENGTH = 4096;

/**
 * Where a path leads when the links on its way are followed: also one to something that is not there yet. Links in a
 * circle, and paths that are too long, lead to the root.
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

/** Null when there is no link. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
