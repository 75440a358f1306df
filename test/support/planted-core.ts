import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { playScript } from "./play-script.ts";
import type { Core } from "./run-builder.ts";
import type { Script } from "./run-scripts.ts";

/** A bug: one replacement in a file of `src/core`. */
export type Plant = { readonly file: string; readonly find: string; readonly put: string };

export type Bug = { readonly bug: string; readonly breaks: string; readonly plants: readonly Plant[] };

const ROOT = join(import.meta.dirname, "../..");
const CORE = join(ROOT, "src/core");
const ENTRY = [
  'export { decide } from "./src/core/decide/decide.ts";',
  'export { evolve } from "./src/core/evolve/evolve.ts";',
  'export { next } from "./src/core/next.ts";',
].join("\n");

/**
 * Builds a separate core with these bugs. The sources stay unchanged.
 * @throws if a file of a bug does not exist.
 */
export async function plantedCore(plants: readonly Plant[]): Promise<Core> {
  for (const { file } of plants) if (!existsSync(join(CORE, file))) throw new Error(`src/core has no file ${file}`);
  const built = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [planting(plants)],
  });
  const folder = await mkdtemp(join(tmpdir(), "planted-core-"));
  try {
    const file = join(folder, "core.mjs");
    await writeFile(file, built.outputFiles[0]?.text ?? "");
    return (await import(pathToFileURL(file).href)) as Core; // the entry exports these three functions
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lists the guarantees violated in these scripts. Stops after the expected one. */
export function brokenBy(core: Core, scripts: readonly Script[], expected: string): string[] {
  const broken = new Set<string>();
  for (const one of scripts) {
    for (const { rule } of playScript(core, one).violations) broken.add(rule);
    if (broken.has(expected)) break;
  }
  return [...broken];
}

function planting(plants: readonly Plant[]): Plugin {
  return {
    name: "planting",
    setup(building) {
      building.onLoad({ filter: /[/\\]src[/\\]core[/\\].*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        const name = relative(CORE, path).replaceAll("\\", "/");
        return { contents: plants.filter((plant) => plant.file === name).reduce(plantInto, source), loader: "ts" };
      });
    },
  };
}

function plantInto(source: string, { file, find, put }: Plant): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} places like: ${find}`);
  return source.replace(find, () => put);
}
