import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { createLineSplitter, type Line, createOutputTail } from "./line-splitter.ts";
import { processTree, type ProcessTree } from "./process-tree.ts";
import { systemProcessTable } from "./process-table.ts";
import { agentEnvironment, type Environment, type Sandbox, type SandboxedFolder } from "./child-environment.ts";

export type AgentProcessOptions = {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The user's environment. isdlc's variables are removed. */
  readonly env: Environment;
  readonly nonce: string;
  /** Complete input, or a function that writes it while the program runs. */
  readonly stdin: string | ((input: AgentInput) => void);
  /** Seconds without output on either stream before the program is ended; Infinity for no limit. */
  readonly silenceSeconds: number;
  /** Bytes on stdout before the program is ended. */
  readonly outputLimit?: number;
  /** Maximum number of bytes kept per line. */
  readonly lineLimit?: number;
  /** Called for every line of stdout, including lines written while the program is being ended. Must not throw. */
  readonly onLine: (line: Line) => void;
  /** Called for each chunk of stderr. Must not throw. */
  readonly onStderr?: (chunk: Uint8Array) => void;
  readonly onStarted?: (pid: number) => void;
  /** Runs the program in a sandbox. */
  readonly sandbox?: Sandbox | undefined;
  /** Access in that sandbox; default: read. */
  readonly access?: SandboxedFolder["access"];
};

/** Input of the program during a conversation. Writes after its end or the program's exit are lost. */
export interface AgentInput {
  write(text: string): void;
  end(): void;
}

export type AgentProcessEnd = {
  readonly ended: "exit" | "silent" | "aborted" | "flooded" | "notStarted";
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of stderr; for `notStarted` the error of the system. */
  readonly stderrTail: string;
  /** Processes that survived SIGKILL. Empty except for kernel errors and processes of other users. */
  readonly left: readonly number[];
};

/**
 * Starts an agent in a separate session and process group, and waits for its end. When it resolves, no process of the
 * execution is alive (limits: see `processTree`).
 */
export async function startAgentProcess(options: AgentProcessOptions, signal: AbortSignal): Promise<AgentProcessEnd> {
  if (signal.aborted) return unstarted("aborted", "");
  const child = spawnDetached(options);
  if (child instanceof Error) return unstarted("notStarted", child.message);
  if (child.pid === undefined) return unstarted("notStarted", await spawnFailure(child));

  const table = systemProcessTable();
  const since = table.one(process.pid)?.started ?? null;
  const family = processTree({ table, nonce: options.nonce, leader: child.pid, since });
  const killOnExit = (): void => endAtOnce(family);
  process.once("exit", killOnExit);
  const exited = new Promise<"exit">((resolve) => child.once("exit", () => resolve("exit")));
  const drained = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.on("error", () => undefined); // a failed signal; the process table shows if it lives

  const stop = stopReasons(options, signal);
  const output = followOutput(child, options, stop);
  const lookout = setInterval(() => family.look(), LOOK_MILLISECONDS);
  options.onStarted?.(child.pid);
  feed(child, options.stdin);

  const ended = await Promise.race([exited, stop.reason]);
  const left = await family.end();
  clearInterval(lookout);
  stop.dispose();
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL"); // for systems without a process table
  await Promise.race([Promise.all([exited, drained]), drainTime()]);
  child.stdout.destroy();
  child.stderr.destroy();
  process.off("exit", killOnExit);
  return { ended, exitCode: child.exitCode, signal: child.signalCode, stderrTail: output.finish(), left };
}

const DEFAULT_OUTPUT_LIMIT = 256 * 1024 * 1024;
const DEFAULT_LINE_LIMIT = 8 * 1024 * 1024;
const STDERR_TAIL = 16 * 1024;
/** Interval of scans for descendants. A shorter one finds more processes that try to escape, but costs more. */
const LOOK_MILLISECONDS = 1000;
/** After all processes exited, the pipes empty immediately. Only an escaped process can hold them open. */
const DRAIN_MILLISECONDS = 1000;

/** Waits one more turn: if the event loop was blocked for this long, the pipes have not been read yet. */
async function drainTime(): Promise<void> {
  await delay(DRAIN_MILLISECONDS, undefined, { ref: false });
  await turn(undefined, { ref: false });
}

type StopReason = "silent" | "aborted" | "flooded";
type Stop = {
  readonly reason: Promise<StopReason>;
  readonly flood: () => void;
  readonly silence: SilenceWatch;
  dispose(): void;
};

function spawnDetached(options: AgentProcessOptions): ChildProcessWithoutNullStreams | Error {
  const { argv, cwd, access = "read", sandbox = (unchanged) => unchanged } = options;
  try {
    const [program = "", ...args] = sandbox(argv, { cwd, access });
    return spawn(program, args, {
      cwd,
      env: agentEnvironment(options.env, options.nonce),
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function spawnFailure(child: ChildProcessWithoutNullStreams): Promise<string> {
  const [error] = (await once(child, "error")) as [Error];
  return error.message;
}

function unstarted(ended: "aborted" | "notStarted", stderrTail: string): AgentProcessEnd {
  return { ended, exitCode: null, signal: null, stderrTail, left: [] };
}

function stopReasons(options: AgentProcessOptions, signal: AbortSignal): Stop {
  let resolve: (reason: StopReason) => void = () => undefined;
  const reason = new Promise<StopReason>((end) => {
    resolve = end;
  });
  const onAbort = (): void => resolve("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  const silence = createSilenceWatch(options.silenceSeconds, () => resolve("silent"));
  return {
    reason,
    flood: () => resolve("flooded"),
    silence,
    dispose: () => {
      signal.removeEventListener("abort", onAbort);
      silence.dispose();
    },
  };
}

function followOutput(
  child: ChildProcessWithoutNullStreams,
  options: AgentProcessOptions,
  stop: Stop,
): { finish(): string } {
  const limit = options.outputLimit ?? DEFAULT_OUTPUT_LIMIT;
  const lines = createLineSplitter(options.lineLimit ?? DEFAULT_LINE_LIMIT, options.onLine);
  const tail = createOutputTail(STDERR_TAIL);
  let total = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    stop.silence.heard();
    total += chunk.length;
    if (total > limit) stop.flood();
    else lines.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stop.silence.heard();
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  child.stdout.on("error", () => undefined);
  child.stderr.on("error", () => undefined);
  return {
    finish: () => {
      lines.finish();
      return tail.text();
    },
  };
}

/** A program that ignores its input or exits early closes the pipe, which is no failure by itself. */
function feed({ stdin }: ChildProcessWithoutNullStreams, input: AgentProcessOptions["stdin"]): void {
  stdin.on("error", () => undefined);
  if (typeof input === "string") stdin.end(input);
  else input({ write: (text) => void stdin.write(text), end: () => void stdin.end() });
}

/** This process is exiting: no time for a grace period. */
function endAtOnce(family: ProcessTree): void {
  for (const { pid } of family.look()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      continue; // already exited
    }
  }
}

interface SilenceWatch {
  heard(): void;
  dispose(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after a silence of this length. Uses monotonic time, which ignores clock changes. */
function createSilenceWatch(seconds: number, onSilence: () => void): SilenceWatch {
  const limit = seconds * 1000;
  let last = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const arm = (wait: number): void => {
    timer = setTimeout(look, Math.min(Math.max(wait, 1), MAX_TIMER_MS));
  };
  const look = (): void => {
    const left = limit - (performance.now() - last);
    if (left <= 0) onSilence();
    else arm(left);
  };
  arm(limit);
  return {
    heard: () => {
      last = performance.now();
    },
    dispose: () => clearTimeout(timer),
  };
}
