import { readdirSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";

/** One import of a source file; `from` and `to` are folders of src, packages or `node:`. */
export type Import = { readonly file: string; readonly specifier: string; readonly from: string; readonly to: string };

export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

export function readImports(file: string, source: string): Import[] {
  const specifiers = withoutComments(source).matchAll(
    /(?<![.\w"'])(?:from|import|require)\s*\(?\s*["']([^"'\n]+)["']/g,
  );
  return [...specifiers].map(([, specifier = ""]) => ({
    file,
    specifier,
    from: folderOf(file),
    to: targetOf(file, specifier),
  }));
}

/** `core/decide.ts` is in `core`; a file directly in src is a folder of its own. */
export function folderOf(file: string): string {
  const [first = ""] = file.split("/", 1);
  return basename(first, ".ts");
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  if (!specifier.startsWith(".")) return specifier;
  const target = join(dirname(file), specifier).split(sep).join("/");
  return target.startsWith("../") ? "outside" : folderOf(target);
}

export function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");
}
