import { fileKind, isSource } from "./file-kind.ts";

type FoldedFile = {
  readonly path: string;
  readonly isBinary: boolean;
  readonly generated: string | null;
};

/** Returns why a file need not be read line by line, or null. Tests are never folded. */
export function foldReason({ path, isBinary, generated }: FoldedFile): string | null {
  const kind = fileKind(path);
  if (kind === "lock") return "a lock file";
  if (kind === "test") return null;
  if (kind === "generated") return "generated or vendored, by its name";
  if (generated !== null) return generated;
  return isBinary && !isSource(path) ? "not text" : null; // source code with binary content must be looked at
}

/** A comment that starts with one of these words. "generated" anywhere near the top hid files written by hand. */
const MARKER =
  /^\s*(?:\/\/|#|--|;|%|\/?\*+|<!--|\(\*)\s*(?:@generated\b|(?:this (?:file|code) (?:is|was) )?(?:auto-?)?(?:matically )?generated\b[^.]*\b(?:by|from|with|do not edit)\b|do not edit[.,:]? (?:this file )?(?:it )?(?:is |was )?(?:auto)?(?:matically )?generated\b)/i;
const GO_MARKER = /^\/\/ Code generated .* DO NOT EDIT\.$/;
const FIRST_LINES = 5;

/** Returns true if a comment in the first five lines of a source file says that a program wrote it. */
export function isMarkedGenerated(path: string, firstLines: readonly string[]): boolean {
  if (!isSource(path)) return false;
  const isMarked = (line: string): boolean => (path.endsWith(".go") && GO_MARKER.test(line)) || MARKER.test(line);
  return firstLines.slice(0, FIRST_LINES).some(isMarked);
}
