import { ProblemError } from "../../core/problem.ts";
import type { Host } from "./run-cli.ts";
import type { Invocation, Run } from "./verb.ts";
import { nextVerb, status } from "./verbs/status.ts";
import { writeText } from "./write-text.ts";

const runs: Readonly<Record<string, Run>> = { status, next: nextVerb };

/**
 * The verbs that people and prompts ask all the time, in their plain form. Null for everything else, and where there is
 * a problem to tell: that is for the whole program.
 */
export async function runFast([verb = "", ...rest]: readonly string[], { cwd, env }: Host): Promise<number | null> {
  const run = runs[verb];
  if (run === undefined || !rest.every((arg) => arg === "--json")) return null;
  const json = rest.length > 0;
  const silent = { out: () => undefined, err: () => undefined, interactive: false, color: false, columns: 80 };
  const about = { name: verb, kind: "read", summary: "", usage: "", options: {} } as const;
  const invocation: Invocation = { verb: about, values: { json }, words: [], cwd, env, io: silent };
  try {
    const result = await run(invocation);
    writeText(1, `${json ? JSON.stringify(result.json) : result.lines.join("\n")}\n`);
    return result.code;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
