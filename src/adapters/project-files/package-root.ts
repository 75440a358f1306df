import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the folder of this package, above the running code: `src/`, `dist/lib/` or a bundle in `dist/bin/`. */
export function packageRoot(): string {
  root ??= searchUpwards(ownFolder());
  return root;
}

let root: string | undefined;

/** Sets the folder of this package, for code bundled into another package. */
export function usePackageRoot(folder: string): void {
  root = folder;
}

/** Bundles are CommonJS, where `import.meta` is empty; modules have no `__dirname`. */
function ownFolder(): string {
  return typeof __dirname === "string" ? __dirname : import.meta.dirname;
}

export function searchUpwards(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isOurPackage(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`The isdlc package was not found above ${start}.`);
  }
}

function isOurPackage(manifest: string): boolean {
  if (!existsSync(manifest)) return false;
  const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name?: unknown };
  return name === "isdlc";
}
