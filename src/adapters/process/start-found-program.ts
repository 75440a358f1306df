import { findProgram } from "./find-program.ts";
import { type AgentProcessEnd, type AgentProcessOptions, startAgentProcess } from "./start-agent-process.ts";

/** The program is looked up each time and started by its full path: the folder it runs in has no say in it. */
export async function startFoundProgram(options: AgentProcessOptions, signal: AbortSignal): Promise<AgentProcessEnd> {
  const [program = "", ...args] = options.argv;
  const found = findProgram(program, options.env);
  if (!found.ok) return { ended: "notStarted", exitCode: null, signal: null, stderrTail: found.detail, left: [] };
  return startAgentProcess({ ...options, argv: [found.path, ...args] }, signal);
}
