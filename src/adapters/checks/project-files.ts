import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** The files of a project that nobody trusts: what is odd about them reads as absent, and nothing is thrown. */
export interface ProjectFiles {
  /** Text of a plain file inside the project; null when there is none, or it is too large to be a definition. */
  text(name: string): string | null;
  /** True for anything of that name, readable or not. */
  exists(name: string): boolean;
  /** Names in a folder, sorted. */
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
          ? readFileSync(path, "utf8").replaceAll("\r\n", "\n")
          : null;
      }),
    exists: (name) => orElse(false, () => lstatSync(join(real, name), { throwIfNoEntry: false }) !== undefined),
    names: (folder) => orElse([], () => readdirSync(inside(folder)).sort()),
  };
}

/** Missing, forbidden, a loop of links, outside: for a definition these are all the same. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
