import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { workingTrees } from "../../../adapters/git/read/working-trees.ts";
import { findProgram } from "../../../adapters/process/find-program.ts";

/** Tells the desktop something; never waits, and never fails. */
export type DesktopCall = (text: string) => void;

/** A desktop that does not answer is not waited for. */
const NOTIFIER_TIMEOUT_MS = 5000;

/**
 * Tells the desktop with `notify-send`; null where there is none, where the terminal is on another machine, where it
 * shows notifications by itself, or where the program would come out of a working tree. Found once.
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

/** Terminals that are known to pass a notification on: the desktop would tell it twice. */
const showsNotifications = ({ TERM: term = "", TERM_PROGRAM: program = "" }: NodeJS.ProcessEnv): boolean =>
  /^(?:rxvt|foot|xterm-kitty|xterm-ghostty)/.test(term) || /^(?:iTerm\.app|WezTerm|ghostty)$/.test(program);
