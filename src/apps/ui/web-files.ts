import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export type WebFile = { readonly path: string; readonly type: string };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/**
 * Lists the files of the web UI by request path. A path that is not in this list does not exist, however it is
 * written.
 */
export function webFiles(folder: string): ReadonlyMap<string, WebFile> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    found.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const type = TYPES[extname(entry.name)];
      return type === undefined ? [] : [[`/${relative(folder, path).split(sep).join("/")}`, { path, type }] as const];
    }),
  );
}

export const readWebFile = ({ path }: WebFile): Buffer => readFileSync(path);
