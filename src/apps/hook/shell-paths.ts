import { OWN_FOLDER } from "../../core/own-folder.ts";
import type { GuardedTree } from "./guard-path.ts";

const NAMES = [OWN_FOLDER, ".git", ".claude", ".codex", ".gemini", ".opencode"];

/** True for a pattern that the shell could expand to a protected name. */
export function matchesKept(word: string): boolean {
  const isPattern = (text: string): boolean => /[*?[]/.test(text);
  if (!isPattern(word)) return false;
  return word
    .split("/")
    .some((segment) => isPattern(segment) && /^[.[]/.test(segment) && NAMES.some((name) => globMatches(segment, name)));
}

function globMatches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".")
    .replace(/\[!/g, "[^");
  try {
    return new RegExp(`^${source}$`, "i").test(name);
  } catch {
    return true; // an unreadable pattern counts as a match
  }
}

/** Expands `$HOME`, `$PWD` and `$CLAUDE_PROJECT_DIR` at the start of a word. */
export function expanded({ home, cwd, root }: Pick<GuardedTree, "home" | "cwd" | "root">, word: string): string {
  if (!word.startsWith("$")) return word;
  return word
    .replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, home)
    .replace(/^\$(?:PWD|\{PWD\})(?=\/|$)/, cwd)
    .replace(/^\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR\})(?=\/|$)/, root);
}

const MAX_BRACES = 64;

/** Expands `a{b,c}d` like the shell. */
export function braces(word: string): readonly string[] {
  if (!word.includes("{")) return [word];
  const words = [word];
  for (let at = 0; at < words.length && words.length < MAX_BRACES; at++) {
    const match = /\{([^{}]*,[^{}]*)\}/.exec(words[at] ?? "");
    if (match === null) continue;
    const [whole, inner = ""] = match;
    const before = words[at]?.slice(0, match.index) ?? "";
    const rest = words[at]?.slice(match.index + whole.length) ?? "";
    words.splice(at--, 1, ...inner.split(",").map((part) => before + part + rest));
  }
  return words;
}
