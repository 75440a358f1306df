import type { AgentProcessEnd } from "../../process/start-agent-process.ts";

/** Exit codes of a shell if a program cannot be executed, or does not exist. */
const SHELL_FAILURES: ReadonlySet<number | null> = new Set([126, 127]);

/** Lines of launchers and test runners that ran no test at all. */
const NO_START =
  /^(?:bwrap: |npm (?:ERR!|error) (?:Missing script|code ENOENT|enoent )|error:? Script not found |.*ERR_PNPM_NO_SCRIPT|.*Startup Error|failed to load config from |ERROR: usage: |.*could not find or load main class )/im;

type EndedProcess = { readonly end: AgentProcessEnd; readonly output: string };

/** True if no test ran: the test command, or a program called by it, could not be started. */
export function couldNotStart({ end, output }: EndedProcess): boolean {
  if (end.ended === "notStarted") return true;
  return end.ended === "exit" && end.exitCode !== 0 && (SHELL_FAILURES.has(end.exitCode) || NO_START.test(output));
}
