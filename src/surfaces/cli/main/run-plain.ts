import { jsonText, terminalText } from "../../../views/plain-text.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { Host } from "./run-cli.ts";
import type { Invocation, Run } from "../invocation/verb.ts";
import { writeText } from "../invocation/io.ts";

/**
 * Runs a command without options other than --json, without loading the code of other commands. Returns null for other
 * arguments and if there is a problem to report: the complete program handles both.
 */
export async function runPlain(run: Run, [verb = "", ...rest]: readonly string[], host: Host): Promise<number | null> {
  if (!rest.every((arg) => arg === "--json")) return null;
  const json = rest.length > 0;
  const silent = {
    out: () => undefined,
    err: () => undefined,
    interactive: false,
    color: false,
    columns: 80,
    rows: 24,
  };
  const about = { name: verb, kind: "read", summary: "", usage: "", options: {} } as const;
  const { cwd, env } = host;
  const invocation: Invocation = { verb: about, values: { json }, words: [], cwd, env, io: silent };
  try {
    const result = await run(invocation);
    writeText(1, `${json ? jsonText(result.json) : result.lines.map(terminalText).join("\n")}\n`);
    return result.code;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
