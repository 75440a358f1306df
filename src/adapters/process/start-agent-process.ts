import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { agentEnvironment, type Environment } from "./agent-environment.ts";
import type { Sandbox, SandboxedFolder } from "./sandboxed.ts";
import { createLineSplitter, type Line } from "./line-splitter.ts";
import { createOutputTail } from "./output-tail.ts";
import { processTree, type ProcessTree } from "./process-tree.ts";
import { systemProcessTable } from "./process-table.ts";
import { createSilenceWatch, type SilenceWatch } from "./silence-watch.ts";

export type AgentProcessOptions = {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The person's environment; what is ours in it is taken out. */
  readonly env: Environment;
  readonly nonce: string;
  /** All of its input, or who writes it while the program runs. */
  readonly stdin: string | ((input: AgentInput) => void);
  /** Seconds without output on either stream before it is ended; Infinity for no limit. */
  readonly silenceSeconds: number;
  /** Bytes on stdout before it is ended as flooding. */
  readonly outputLimit?: number;
  /** Bytes of one line that are kept. */
  readonly lineLimit?: number;
  /** Called for every line of stdout, also for those written while it is being ended. Must not throw. */
  readonly onLine: (line: Line) => void;
  /** Called for what it writes to stderr, as it comes. Must not throw. */
  readonly onStderr?: (chunk: Uint8Array) => void;
  readonly onStarted?: (pid: number) => void;
  /** Puts the program in a sandbox. */
  readonly sandbox?: Sandbox | undefined;
  /** What it may do in that sandbox; nothing but read when left out. */
  readonly access?: SandboxedFolder["access"];
};

/** The program's input during a conversation. What is written after its end, or the program's, is lost. */
export interface AgentInput {
  write(text: string): void;
  end(): void;
}

export type AgentProcessEnd = {
  readonly ended: "exit" | "silent" | "aborted" | "flooded" | "notStarted";
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of stderr; for `notStarted` what the system said. */
  readonly stderrTail: string;
  /** Processes that would not go, not even by SIGKILL. Empty but for kernel trouble and other users' processes. */
  readonly left: readonly number[];
};

/**
 * Starts an agent in a session and process group of its own and sees it through.
 * When it resolves, nothing of the execution is alive any more (see `processTree` for what that covers).
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
  child.on("error", () => undefined); // a failed signal; whether it lives is asked elsewhere

  const stop = stopReasons(options, signal);
  const output = followOutput(child, options, stop);
  const lookout = setInterval(() => family.look(), LOOK_MILLISECONDS);
  options.onStarted?.(child.pid);
  feed(child, options.stdin);

  const ended = await Promise.race([exited, stop.reason]);
  const left = await family.end();
  clearInterval(lookout);
  stop.dispose();
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL"); // where no process table tells
  await Promise.race([Promise.all([exited, drained]), drainTime()]);
  child.stdout.destroy();
  child.stderr.destroy();
  process.off("exit", killOnExit);
  return { ended, exitCode: child.exitCode, signal: child.signalCode, stderrTail: output.finish(), left };
}

const DEFAULT_OUTPUT_LIMIT = 256 * 1024 * 1024;
const DEFAULT_LINE_LIMIT = 8 * 1024 * 1024;
const STDERR_TAIL = 16 * 1024;
/** How often descendants are noted down; shorter finds more of those that mean to escape, and costs more. */
const LOOK_MILLISECONDS = 1000;
/** After everyone has gone the pipes are empty at once; only an escaped process can hold them open. */
const DRAIN_MILLISECONDS = 1000;

/** Where other work held up the event loop for so long, what is in the pipes has not been read yet: that takes a turn. */
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

/** A program that never reads its input, or ends before, closes the pipe under us: no failure by itself. */
function feed({ stdin }: ChildProcessWithoutNullStreams, input: AgentProcessOptions["stdin"]): void {
  stdin.on("error", () => undefined);
  if (typeof input === "string") stdin.end(input);
  else input({ write: (text) => void stdin.write(text), end: () => void stdin.end() });
}

/** Our own process ends right now: no time for a grace. */
function endAtOnce(family: ProcessTree): void {
  for (const { pid } of family.look()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      continue; // already gone
    }
  }
}
