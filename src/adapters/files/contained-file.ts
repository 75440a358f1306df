import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";

/**
 * Writes a file below a folder, making the folders on the way.
 * @throws ProblemError when the path leads out of it, also through a symbolic link.
 */
export function writeContained(root: string, path: string, contents: string | Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = containedPath(root, path, (folder) => mkdirSync(folder));
  if (readKind(file) !== "missing" && readKind(file) !== "file")
    throw unsafe(path, "something that is not a file is in the way");
  const handle = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    writeFileSync(handle, contents);
  } finally {
    closeSync(handle);
  }
}

/** Removes a file below a folder; that it is not there is no failure. */
export function deleteContained(root: string, path: string): void {
  rmSync(
    containedPath(root, path, () => undefined),
    { force: true },
  );
}

function containedPath(root: string, path: string, onMissing: (folder: string) => void): string {
  const parts = path.split(/[/\\]/);
  if (isAbsolute(path) || parts.some((part) => part === "" || part === "." || part === "..")) {
    throw unsafe(path, "it is not a plain path inside the working directory");
  }
  let folder = realpathSync(root);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const kind = readKind(folder);
    if (kind === "missing") onMissing(folder);
    else if (kind !== "folder") throw unsafe(path, `${part} on its way is not a folder`);
  }
  return join(folder, parts.at(-1) ?? "");
}

function readKind(path: string): "missing" | "folder" | "file" | "other" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "missing";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}

function unsafe(path: string, detail: string): ProblemError {
  return new ProblemError({ code: "UNSAFE_PATH", path, detail });
}
