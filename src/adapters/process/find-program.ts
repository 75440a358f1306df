import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { type AgentProcessEnd, type AgentProcessOptions, startAgentProcess } from "./start-agent-process.ts";
import type { Environment } from "./child-environment.ts";

export type FoundProgram =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly detail: string };

/**
 * Finds the file of a program. Relative PATH entries are skipped: they would let the working directory, and thus a
 * repository, choose the program.
 */
export function findProgram(program: string, env: Environment): FoundProgram {
  if (program.includes("/") || isAbsolute(program)) return examined(resolve(program));
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = folders.map((folder) => examined(join(folder, program))).find((candidate) => candidate.ok);
  return found ?? { ok: false, detail: `there is no "${program}" on the PATH` };
}

function examined(path: string): FoundProgram {
  try {
    if (!statSync(path).isFile()) return { ok: false, detail: `${path} is not a file` };
    accessSync(path, constants.X_OK);
    return { ok: true, path };
  } catch (error) {
    const denied = error instanceof Error && "code" in error && error.code === "EACCES";
    return { ok: false, detail: denied ? `${path} may not be executed` : `there is no ${path}` };
  }
}

/** Finds the program each time and starts it by its full path, independent of the working directory. */
export async function startFoundProgram(options: AgentProcessOptions, signal: AbortSignal): Promise<AgentProcessEnd> {
  const [program = "", ...args] = options.argv;
  const found = findProgram(program, options.env);
  if (!found.ok) return { ended: "notStarted", exitCode: null, signal: null, stderrTail: found.detail, left: [] };
  return startAgentProcess({ ...options, argv: [found.path, ...args] }, signal);
}
