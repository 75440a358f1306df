import { randomUUID } from "node:crypto";
import { startFoundProgram } from "./find-program.ts";
import type { Environment } from "./child-environment.ts";

/** Long enough for large programs on slow machines. */
const VERSION_TIMEOUT_SECONDS = 15;

export type VersionAnswer = {
  /** Output, or null if the call failed. */
  readonly text: string | null;
  /** Text to show if the output contains no version. */
  readonly said: string;
};

/** Runs a program with `--version`. */
export async function askVersion(program: string, env: Environment): Promise<VersionAnswer> {
  const lines: string[] = [];
  const end = await startFoundProgram(
    {
      argv: [program, "--version"],
      cwd: process.cwd(),
      env,
      nonce: randomUUID(),
      stdin: "",
      silenceSeconds: VERSION_TIMEOUT_SECONDS,
      onLine: ({ text }) => lines.push(text),
    },
    AbortSignal.timeout(VERSION_TIMEOUT_SECONDS * 1000),
  );
  const isAnswer = end.ended === "exit" && end.exitCode === 0;
  const said = end.stderrTail.trim() || lines[0] || `"${program} --version" did not report its version`;
  return { text: isAnswer ? lines.join("\n") : null, said };
}
