import type { ChildProcessByStdio, SpawnOptions } from "node:child_process";
import { childProcess } from "../../process/node-child-process.ts";
import type { Readable, Writable } from "node:stream";
import { plainText } from "../../../core/plain-text.ts";
import { ProblemError } from "../../../core/problem.ts";
import { findBlockingFile } from "./blocking-files.ts";

export type GitCall = {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: Buffer;
  readonly timeoutMs: number;
  /** Behavior beyond `maxOutputBytes`: the call fails, or the output is cut there. */
  readonly whenTooLong?: "fail" | "cut";
  /** True if the call ends with git's own exit: hooks may leave processes behind that hold the pipes open. */
  readonly runsHooks?: boolean;
  /** Ends the call and all programs that git started for it. The reason is the detail of the failure. */
  readonly signal?: AbortSignal;
};

export type GitResult = { readonly status: number; readonly stdout: Buffer; readonly stderr: string };

export const maxOutputBytes = 64 * 1024 * 1024;

/**
 * Runs git without a shell. Returns every exit status as a value.
 * @throws ProblemError GIT_UNAVAILABLE if git does not start; GIT_FAILED after a timeout, a signal or too much output.
 */
export function runGit(call: GitCall): Promise<GitResult> {
  if (call.args.some((arg) => arg.includes("\0")))
    return Promise.reject(gitFailed(commandName(call.args), "a NUL in a name"));
  return new Promise((resolve, reject) => {
    const { cwd, environment: env, input } = call;
    const detached = call.signal !== undefined; // a group of its own
    const stdin = input === undefined ? "ignore" : "pipe";
    const options = { cwd, env, stdio: [stdin, "pipe", "pipe"], windowsHide: true, detached } satisfies SpawnOptions;
    const child = childProcess().spawn("git", call.args, options) as GitProcess; // stdout and stderr are piped
    const output = collect(child, call);
    const timer = setTimeout(() => {
      output.stop(`no answer within ${call.timeoutMs / 1000} s`);
    }, call.timeoutMs);
    const search = setTimeout(() => void stopIfBlocked(call, output.stop), BLOCKED_AFTER_MS).unref();
    const abort = (): void => output.stop(String(call.signal?.reason));
    call.signal?.addEventListener("abort", abort);
    child.on("error", (error) => {
      clearTimeout(timer);
      clearTimeout(search);
      reject(unavailable(error.message));
    });
    child.on("exit", (status, signal) => {
      clearTimeout(timer);
      clearTimeout(search);
      call.signal?.removeEventListener("abort", abort);
      output.onEnd(() => {
        const failure = output.failure() ?? (signal === null ? null : `ended by ${signal}`);
        if (failure !== null && !output.wasCut()) reject(gitFailed(commandName(call.args), failure));
        else resolve({ status: status ?? 0, stdout: output.stdout(), stderr: output.stderr() });
      });
    });
    child.stdin?.on("error", () => undefined); // git may exit before it has read all input; its status counts
    child.stdin?.end(input);
  });
}

/** Milliseconds before a running git is suspected to wait for a pipe. */
const BLOCKED_AFTER_MS = 1500;

async function stopIfBlocked({ cwd, runsHooks }: GitCall, stop: (why: string) => void): Promise<void> {
  if (runsHooks === true) return; // hooks may take long
  const path = await findBlockingFile(cwd);
  if (path !== null) stop(`${path} is not a plain file, and git would wait for it. Remove it and try again`);
}

export function gitFailed(command: string, detail: string): ProblemError {
  return new ProblemError({ code: "GIT_FAILED", command, detail });
}

export function unavailable(detail: string): ProblemError {
  return new ProblemError({ code: "GIT_UNAVAILABLE", detail });
}

const styles = /\p{Cc}\[[0-9;]*[A-Za-z]/gu;

/** Lines that state the reason of a failure, from git or a hook of the remote. Excludes progress of the remote. */
const REASON = /^(?:fatal: |error: |CONFLICT |remote: (?!Enumerating|Counting|Compressing|Resolving|Total|\s*$)| ! \[)/;
const MAX_REASONS = 6;
const MAX_ERROR_LINE_LENGTH = 300;

/** Returns git's lines about the reason of a failure, or else the end of the output of git and its hooks. */
export function lastWords(result: GitResult): string {
  const plain = plainText(`${result.stdout.toString("utf8")}\n${result.stderr}`.replaceAll(styles, ""));
  const lines = plain.split("\n").filter((line) => line.trim() !== "");
  const reasons = lines.filter((line) => REASON.test(line)).map((line) => line.trim().slice(0, MAX_ERROR_LINE_LENGTH));
  const shown = reasons.length > 0 ? reasons.slice(0, MAX_REASONS) : lines;
  return shown.slice(-10).join("\n").slice(-2000).replace(/\.$/, "") || `exit status ${result.status}`;
}

const afterExitMs = 200;

/** `stdin` is null for a call without input. */
type GitProcess = ChildProcessByStdio<Writable | null, Readable, Readable>;

function collect(child: GitProcess, call: GitCall) {
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = "";
  let failure: string | null = null;
  let cut = false;
  const stop = (why: string) => {
    failure ??= why;
    if (call.signal === undefined || !killGroup(child.pid)) child.kill("SIGKILL");
  };
  child.stdout.on("data", (chunk: Buffer) => {
    const room = maxOutputBytes - size;
    size += chunk.length;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    if (size <= maxOutputBytes) return;
    cut = call.whenTooLong === "cut";
    stop(`more than ${maxOutputBytes} bytes of output`);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-16_384);
  });
  return {
    stop,
    failure: () => failure,
    wasCut: () => cut,
    stdout: () => Buffer.concat(chunks),
    stderr: () => stderr,
    onEnd(done: () => void) {
      child.on("close", done);
      if (call.runsHooks !== true) return;
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, afterExitMs).unref();
    },
  };
}

/** Returns false if there is no such group, or on a system without groups. */
function killGroup(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(-pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** Returns `switch` for `-c a=b --no-pager switch …`. */
function commandName(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "-c") ?? "";
}
