import { findVerb } from "./catalog.ts";
import { runCli } from "./run-cli.ts";
import type { runAll as RunAll } from "./verbs/index.ts";
import { nextVerb, status } from "./verbs/status.ts";

declare const ISDLC_VERSION: string;

const fast = { status, next: nextVerb } as const;

/** The fast verbs are in this bundle; the rest is read from disk only when it is needed. */
async function main(args: readonly string[]): Promise<number> {
  const host = { cwd: process.cwd(), env: process.env, version: ISDLC_VERSION };
  const isFast = args[0] === "--version" || args[0] === "-V" || Object.hasOwn(fast, args[0] ?? "");
  if (isFast && findVerb(args[0] ?? "")?.fast !== undefined)
    return runCli(args, host, (name) => fast[name as keyof typeof fast]);
  if (isFast) return runCli(args, host, () => undefined);
  const { runAll } = require("./verbs.cjs") as { runAll: typeof RunAll }; // built beside this file
  return runAll(args, host);
}

const exit = (code: number): void => {
  process.exitCode = code;
};

void main(process.argv.slice(2)).then(exit);
