import type { Host } from "./run-cli.ts";
import { runPlain } from "./run-plain.ts";
import { plainNext, plainStatus } from "../verbs/plain-status.ts";

/** The verbs that people and prompts ask all the time. */
export const runFast = (args: readonly string[], host: Host): Promise<number | null> =>
  runPlain(args[0] === "next" ? plainNext : plainStatus, args, host);
