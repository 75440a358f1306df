import { createHash } from "node:crypto";
import type { Problem } from "../../../core/problem.ts";
import type { AgentBackend, AgentTask, Capabilities } from "../../../ports/agent-backend.ts";
import type { Line } from "../../process/line-splitter.ts";
import { startAgentProcess, type AgentProcessEnd } from "../../process/start-agent-process.ts";
import { streamEvents, type Emit } from "../../process/stream-events.ts";
import { commandEnd, readCommandLine, requestText } from "./protocol.ts";
import { findProgram } from "../../process/find-program.ts";
import type { Environment, Sandbox } from "../../process/child-environment.ts";

export type CommandBackendOptions = {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly name?: string;
  readonly sandbox?: Sandbox | undefined;
};

/** Creates the backend for any program that speaks our JSON lines protocol. */
export function createCommandBackend(options: CommandBackendOptions): AgentBackend {
  const { argv, env, sandbox, name = "command" } = options;
  const [program = "", ...args] = argv;
  return {
    name,
    digest: createHash("sha256").update(JSON.stringify(argv)).digest("hex"),
    probe: () => Promise.resolve(probe(name, program, env)),
    run: (task, signal) =>
      streamEvents(async (emit, stop) => {
        const results: object[] = [];
        const onLine = (line: Line): void => take(line, results, emit);
        const process = await runProgram({ program, args, env, sandbox, task, onLine }, stop);
        for (const pid of process.left)
          emit({ type: "progress", text: `Process ${pid} could not be ended`, usage: null });
        emit(commandEnd({ process, results }, task));
      }, signal),
  };
}

type Invocation = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly sandbox: Sandbox | undefined;
  readonly task: AgentTask;
  readonly onLine: (line: Line) => void;
};

/** Finds the program for each execution and starts it by its full path: the working directory has no influence. */
async function runProgram(invocation: Invocation, signal: AbortSignal): Promise<AgentProcessEnd> {
  const { program, args, env, sandbox, task, onLine } = invocation;
  const found = findProgram(program, env);
  if (!found.ok) return { ended: "notStarted", exitCode: null, signal: null, stderrTail: found.detail, left: [] };
  const { cwd, access, nonce, limits } = task;
  const started = { argv: [found.path, ...args], cwd, access, sandbox, env, nonce, stdin: requestText(task) };
  return startAgentProcess({ ...started, silenceSeconds: limits.silence, onLine }, signal);
}

/** Keeps at most two results, enough to detect a second one. */
function take(line: Line, results: object[], emit: Emit): void {
  const read = readCommandLine(line);
  if (read.is === "progress") emit({ type: "progress", text: read.text, usage: null });
  if (read.is === "result" && results.length < 2) results.push(read.result);
}

/**
 * Capabilities of an unknown program: isdlc has no control over how it treats a request. Its reported cost counts
 * anyway.
 */
const UNKNOWN = { readOnly: false, cost: false, turns: false, budget: false, resumes: false };

function probe(name: string, program: string, env: Environment): Capabilities | Problem {
  const found = findProgram(program, env);
  if (!found.ok) return { code: "AGENT_MISSING", agent: name, detail: found.detail };
  return { version: "unknown", structuredResult: true, ...UNKNOWN };
}
