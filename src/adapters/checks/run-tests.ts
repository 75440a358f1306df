import { randomUUID } from "node:crypto";
import type { CheckResult, TestCommand } from "../../schema/facts.ts";
import type { Environment } from "../process/agent-environment.ts";
import { createOutputTail } from "../process/output-tail.ts";
import { startAgentProcess, type AgentProcessEnd } from "../process/start-agent-process.ts";
import { usefulLines } from "./useful-lines.ts";

export type TestRun = {
  readonly cwd: string;
  readonly env: Environment;
  readonly redact: (text: string) => string;
  /** Milliseconds. */
  readonly timeLimit: number;
  readonly command: TestCommand;
};

const TAIL_BYTES = 256 * 1024;

/**
 * Runs the tests and leaves no process of theirs behind. Test code is the agent's: it gets an agent's environment,
 * so that it cannot pass for a person either. Rejects with the signal's reason when aborted.
 */
export async function runTests(run: TestRun, signal: AbortSignal): Promise<CheckResult> {
  const tail = createOutputTail(TAIL_BYTES);
  const end = await startAgentProcess(
    {
      argv: run.command.argv,
      cwd: run.cwd,
      env: { ...withoutGit(run.env), CI: "1" },
      nonce: randomUUID(),
      stdin: "",
      silenceSeconds: Infinity,
      onLine: ({ text }) => tail.push(Buffer.from(`${text}\n`)),
      onStderr: (chunk) => tail.push(chunk),
    },
    AbortSignal.any([signal, AbortSignal.timeout(run.timeLimit)]),
  );
  signal.throwIfAborted();
  const reason = failureOf(end, run);
  if (reason === null) return { name: "tests", ok: true, detail: `${run.command.argv.join(" ")} passed` };
  return { name: "tests", ok: false, detail: [reason, ...usefulLines(tail.text(), run.redact)].join("\n") };
}

function failureOf(end: AgentProcessEnd, { command, timeLimit }: TestRun): string | null {
  const name = command.argv.join(" ");
  switch (end.ended) {
    case "notStarted":
      return `${name} could not be started: ${end.stderrTail}`;
    case "aborted":
      return `${name} did not end within ${Math.round(timeLimit / 60_000)} minutes and was stopped`;
    case "flooded":
      return `${name} wrote more output than anyone could read and was stopped`;
    case "silent":
    case "exit":
      if (end.exitCode === 0) return null;
      return end.signal === null
        ? `${name} ended with exit code ${end.exitCode}`
        : `${name} was ended by ${end.signal}`;
    default:
      return end.ended satisfies never;
  }
}

/** Git variables would point the tests' own repositories at ours. */
const withoutGit = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("GIT_")));
