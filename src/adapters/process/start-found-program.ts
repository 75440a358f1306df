import { findProgram } from "./find-program.ts";
import { type AgentProcessEnd, type AgentProcessOptions, startAgentProcess } from "./start-agent-process.ts";

/** Finds the program each time and starts it by its full path, independent of the working directory. */
export async function startFoundProgram(options: AgentProcessOptions, signal: AbortSignal): Promise<AgentProcessEnd> {
  const [program = "", ...args] = options.argv;
  const found = findProgram(program, options.env);
  if (!found.ok) return { ended: "notStarted", exitCode: null, signal: null, stderrTail: found.detail, left: [] };
  return startAgentProcess({ ...options, argv: [found.path, ...args] }, signal);
}
