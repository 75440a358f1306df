import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { readBounded } from "../../files/file-system.ts";

/** Files of an untrusted project. Irregular files read as missing, and nothing is thrown. */
export interface ProjectFiles {
  /**
   * Returns the text of a plain file inside the project. Null if it does not exist, or is too large for a definition.
   */
  text(name: string): string | null;
  /** Returns true for anything of that name, readable or not. */
  exists(name: string): boolean;
  /** Lists the names in a folder, sorted. */
  names(folder: string): readonly string[];
}

const MAX_TEXT_BYTES = 1024 * 1024;

export function projectFiles(root: string): ProjectFiles {
  const real = realpathSync(root);
  const inside = (name: string): string => {
    const path = realpathSync(join(real, name));
    if (path !== real && !path.startsWith(real.endsWith(sep) ? real : real + sep)) throw new Error("outside");
    return path;
  };
  return {
    text: (name) =>
      orElse(null, () => {
        const path = inside(name);
        const facts = statSync(path);
        return facts.isFile() && facts.size <= MAX_TEXT_BYTES
          ? readBounded(path, MAX_TEXT_BYTES).toString("utf8").replaceAll("\r\n", "\n")
          : null;
      }),
    exists: (name) => orElse(false, () => lstatSync(join(real, name), { throwIfNoEntry: false }) !== undefined),
    names: (folder) => orElse([], () => readdirSync(inside(folder)).sort()),
  };
}

/** Treats files alike that are missing, forbidden, in a loop of links or outside the project. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
