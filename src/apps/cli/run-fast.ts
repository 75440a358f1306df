import { type Host, runCli } from "./run-cli.ts";
import type { Run } from "./verb.ts";
import { nextVerb, status } from "./verbs/status.ts";

const runs: Readonly<Record<string, Run>> = { status, next: nextVerb };

/** The verbs that people and prompts ask all the time; read and set up only when one of them is asked for. */
export const runFast = (args: readonly string[], host: Host): Promise<number> =>
  runCli(args, host, (name) => runs[name]);
