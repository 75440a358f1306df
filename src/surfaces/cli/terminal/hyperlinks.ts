import { pathToFileURL } from "node:url";
import { terminalText } from "../../../views/plain-text.ts";
import { writeText } from "../invocation/io.ts";
import type { Viewer } from "./show-changes.ts";

const ESCAPE = "\u001B";
const END = `${ESCAPE}\\`;

/** True if the terminal supports links (OSC 8). Others might print the code. */
export function knowsLinks(env: NodeJS.ProcessEnv): boolean {
  if (env["FORCE_HYPERLINK"] !== undefined) return env["FORCE_HYPERLINK"] !== "0";
  const program = env["TERM_PROGRAM"] ?? "";
  return (
    ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"].includes(program) ||
    Number(env["VTE_VERSION"] ?? 0) >= 5000 ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot)/.test(env["TERM"] ?? "") ||
    ["KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION"].some((name) => env[name] !== undefined)
  );
}

/** A displayed path, and the local file that it opens. */
export type FileLink = { readonly shown: string; readonly file: string };

/** Prints a text and links its paths to their files, if the terminal supports links. */
export function outWithLinks({ io, env }: Viewer, text: string, links: readonly FileLink[]): void {
  if (knowsLinks(env)) writeText(1, `${withFileLinks(terminalText(text), links)}\n`);
  else io.out(text);
}

/** Turns the paths in a text into links, except a path within a longer one. The text must be safe to print. */
export function withFileLinks(text: string, links: readonly FileLink[]): string {
  if (links.length === 0) return text;
  const files = new Map(links.map(({ shown, file }) => [shown, file]));
  const shown = [...files.keys()].toSorted((one, other) => other.length - one.length);
  const paths = new RegExp(`(?<![\\w./-])(?:${shown.map(literally).join("|")})(?![\\w/-])`, "g");
  return text.replaceAll(paths, (path) => hyperlink(path, files.get(path) ?? path));
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);

const hyperlink = (text: string, file: string): string =>
  `${ESCAPE}]8;;${pathToFileURL(file).href}${END}${text}${ESCAPE}]8;;${END}`;
