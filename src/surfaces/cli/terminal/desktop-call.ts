import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { workingTrees } from "../../../adapters/git/process/working-trees.ts";
import { findProgram } from "../../../adapters/process/find-program.ts";

/** Shows a desktop notification. Never waits and never fails. */
export type DesktopCall = (text: string) => void;

/** Ends a notifier that does not return. */
const NOTIFIER_TIMEOUT_MS = 5000;

/**
 * Finds `notify-send` once and returns a function that notifies with it. Null without this program or a desktop, if the
 * terminal is on another machine or shows notifications itself, or if the program is inside a working tree.
 */
export function desktopCall(env: NodeJS.ProcessEnv, root: string): DesktopCall | null {
  const program = isHere(env) && !showsNotifications(env) ? findProgram("notify-send", env) : null;
  if (program?.ok !== true) return null;
  const path = realpathSync(program.path);
  if (workingTrees(root).some((tree) => path.startsWith(`${tree}/`))) return null;
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ISDLC_")));
  return (text) => {
    const options = { env: own, cwd: "/", timeout: NOTIFIER_TIMEOUT_MS };
    execFile(path, ["--app-name=isdlc", "--", "isdlc", text], options, () => undefined).unref();
  };
}

const isHere = ({ DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: NodeJS.ProcessEnv): boolean =>
  (DISPLAY ?? WAYLAND_DISPLAY) !== undefined && SSH_CONNECTION === undefined;

/** Terminals known to forward notifications: the desktop would show a second one. */
const showsNotifications = ({ TERM: term = "", TERM_PROGRAM: program = "" }: NodeJS.ProcessEnv): boolean =>
  /^(?:rxvt|foot|xterm-kitty|xterm-ghostty)/.test(term) || /^(?:iTerm\.app|WezTerm|ghostty)$/.test(program);
