// Prints the shape of the source: files, their length, small files, files with one importer, and folder cycles.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SMALL = 20; // lines
const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the source files below a folder, as paths from the root. */
function sourceFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** Returns the files imported by a file, types included. Code loaded later by `import()` does not count. */
function importedFiles(file, source) {
  const specifiers = source.matchAll(/^(?:import|export)\b[^"';]*?\bfrom\s+"(\.[^"]+)"|^import\s+"(\.[^"]+)"/gmu);
  return [...specifiers].map(([, from, bare]) => join(dirname(file), from ?? bare));
}

/** Returns the folders that import themselves through other folders. */
function folderRings(imports) {
  const targets = new Map();
  for (const [from, to] of imports)
    if (dirname(from) !== dirname(to))
      targets.set(dirname(from), (targets.get(dirname(from)) ?? new Set()).add(dirname(to)));
  return [...targets.keys()].filter((start) => {
    const reached = new Set();
    const open = [...targets.get(start)];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(...(targets.get(next) ?? []));
    }
    return reached.has(start);
  });
}

function measureShape(folder) {
  const files = sourceFiles(folder);
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const lengths = [...sources.values()].map((source) => source.split("\n").length - 1).sort((a, b) => a - b);
  const imports = [...sources].flatMap(([file, source]) => importedFiles(file, source).map((to) => [file, to]));
  const importers = new Map(files.map((file) => [file, new Set()]));
  for (const [from, to] of imports) importers.get(to)?.add(from);
  return {
    folder,
    files: files.length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
    "median lines": lengths[Math.floor(lengths.length / 2)],
    [`${SMALL} lines or fewer`]: lengths.filter((length) => length <= SMALL).length,
    "one importer": [...importers.values()].filter((found) => found.size === 1).length,
    "folders in rings": folderRings(imports).length,
  };
}

const shapes = ["src", "team/src", "web/src"].map(measureShape);
if (shapes.some(({ files }) => files === 0)) throw new Error("No source files were found.");
console.table(shapes);
