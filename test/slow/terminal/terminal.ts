import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import type { Sandbox } from "../../support/cli.ts";

/** A user at a terminal who types and reads the screen. */
export type Terminal = {
  /** Types a line and presses Enter. */
  type(line: string): void;
  /** Presses keys by their tmux names: `c`, `Enter`, `C-c`, `Down`. */
  press(...keys: string[]): void;
  /** Pastes text, like a middle click. */
  paste(text: string): void;
  /** Screen content, including lines scrolled off since the last key. */
  screen(): string;
  /** Exact rows of the screen, with control sequences. */
  rows(): string[];
  /** Resolves with the screen once it shows this. */
  shows(what: string | RegExp): Promise<string>;
  /** Everything written to the terminal, including control sequences. */
  written(): string;
  /** The title of the window. */
  title(): string;
  /** Types an `isdlc` command line. */
  isdlc(args?: string): void;
  /** The exit code of the last command line, once it has ended. */
  exitCode(): Promise<number>;
  /** Process id of the program that runs in the foreground. */
  running(): number;
  /** Closes the window, like a click on its button. */
  close(): void;
};

export type TerminalOptions = { readonly env?: Readonly<Record<string, string>>; readonly width?: number };

const SCREEN_TIMEOUT_MS = 60_000; // milliseconds until a text must be there
const POLL_INTERVAL_MS = 40; // milliseconds

/** False on a user's machine without tmux. @throws in CI, because it skips no test. */
export function hasTmux(): boolean {
  if (spawnSync("tmux", ["-V"]).status === 0) return true;
  const why = "tests at a real terminal need tmux: apt-get install tmux";
  if (process.env["CI"]) throw new Error(why);
  console.warn(`SKIPPED: ${why}`);
  return false;
}

/**
 * Opens a terminal in the sandbox's repository, 24 rows high, with a shell that resets the terminal after a killed
 * program.
 */
export async function openTerminal(
  sandbox: Sandbox,
  { env = {}, width = 80 }: TerminalOptions = {},
): Promise<Terminal> {
  const path = await programOnPath(sandbox);
  const socket = join(sandbox.base, `terminal-${Math.random().toString(36).slice(2)}`);
  const place = {
    cwd: sandbox.root,
    env: { ...sandbox.env, PATH: path, LC_ALL: "C.UTF-8", PS1: "$ ", TERM: "xterm-256color", ...env },
  };
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      ...place,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  tmux("new-session", "-d", "-x", String(width), "-y", "24", "bash", "--norc", "--noprofile");
  const close = (): void => void spawnSync("tmux", ["-S", socket, "kill-server"]);
  onTestFinished(close);

  const screen = (): string => tmux("capture-pane", "-p", "-J", "-S", "-").trimEnd();
  /** Clears the history with each key: later searches must find new text. */
  const send = (keys: readonly string[]): void => {
    tmux("send-keys", "-R", ";", "clear-history");
    tmux("send-keys", ...keys);
  };
  const shows = async (what: string | RegExp): Promise<string> => {
    const deadline = performance.now() + SCREEN_TIMEOUT_MS;
    for (;;) {
      const seen = screen();
      if (typeof what === "string" ? seen.includes(what) : what.test(seen)) return seen;
      if (performance.now() > deadline) throw new Error(`The terminal never showed ${String(what)}:\n${seen}`);
      await delay(POLL_INTERVAL_MS);
    }
  };
  const type = (line: string): void => {
    send(["-l", line]);
    tmux("send-keys", "Enter");
  };
  const log = `${socket}.log`;
  writeFileSync(log, "");
  tmux("pipe-pane", "-o", `cat >> '${log}'`);
  await shows("$");
  return {
    type,
    press: (...keys) => send(keys),
    paste(text) {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p");
    },
    screen,
    rows: () => tmux("capture-pane", "-p", "-e").split("\n").slice(0, 24),
    shows,
    written: () => readFileSync(log, "utf8"),
    title: () => tmux("display-message", "-p", "#{pane_title}").trim(),
    isdlc: (args = "") => type(`isdlc ${args}; echo "[exit $?]"`),
    exitCode: async () => Number(/\[exit ([0-9]+)\]/.exec(await shows(/\[exit [0-9]+\]/))?.[1]),
    running: () => Number(execFileSync("pgrep", ["-P", tmux("display-message", "-p", "#{pane_pid}").trim()], place)),
    close,
  };
}

/** Resolves as soon as the process is gone, which may be a moment after its end was reported. */
export async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + SCREEN_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still there`);
    await delay(POLL_INTERVAL_MS);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Adds `isdlc` to the user's PATH. */
async function programOnPath(sandbox: Sandbox): Promise<string> {
  const folder = join(sandbox.base, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "isdlc"), `#!/bin/sh\nexec '${process.execPath}' '${await builtProgram()}' "$@"\n`, {
    mode: 0o755,
  });
  return `${folder}:${sandbox.env["PATH"] ?? ""}`;
}
