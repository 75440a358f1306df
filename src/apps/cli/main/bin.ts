import type * as V8 from "node:v8";
import { loadBundle } from "./load-bundle.ts";
import { runFast } from "./run-fast.ts";
import { version } from "../../../compose/version.ts";
import { describe } from "../../../core/problem.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { writeText } from "../terminal/io.ts";
import type { runItems as RunItems } from "./run-items.ts";
import type { runAll as RunAll } from "../verbs/index.ts";
import type { runUi as RunUi } from "../../ui/ui.ts";

const VERSION_FLAGS = ["--version", "-V"];
/** Everything these need is in this file; the rest is read from disk only when it is needed. */
const FAST = ["status", "next"];

async function main(args: readonly string[]): Promise<number> {
  const [first = ""] = args;
  if (args.length === 1 && VERSION_FLAGS.includes(first)) {
    writeText(1, `${version}\n`);
    return end(0);
  }
  const host = { cwd: process.cwd(), env: process.env, version };
  if (FAST.includes(first)) {
    const code = await runFast(args, host);
    if (code !== null) return end(code);
  }
  if (first === "items") {
    const { runItems } = require("./items.cjs") as { runItems: typeof RunItems }; // built beside this file
    const code = await runItems(args, host);
    if (code !== null) return code;
  }
  stayLean(first === "ui" ? LASTING : LEAN);
  if (first === "ui") {
    const { runUi } = loadBundle("ui.cjs") as { runUi: typeof RunUi }; // the page's server stays for days: it carries no verb but its own
    return runUi(args, host);
  }
  const { runAll } = loadBundle("verbs.cjs") as { runAll: typeof RunAll }; // built beside this file
  return runAll(args, host);
}

/**
 * Waiting for agents needs no room to grow in, and what is resident is copied with every program that is started. Most
 * code runs a few times: it has to run longer than usual before machine code is made of it, which costs more than it
 * saves here.
 */
const LEAN = ["--semi-space-growth-factor=1", "--interrupt-budget=1000000"];
/** A server that stays for days takes a fifth less memory, and no longer to answer. */
const LASTING = [...LEAN, "--optimize-for-size"];

function stayLean(flags: readonly string[]): void {
  const { setFlagsFromString } = require("node:v8") as typeof V8; // read only when it is needed
  for (const flag of flags) setFlagsFromString(flag);
}

/** For those who have written everything: ending now spares taking Node apart piece by piece. */
const end = (code: number): never => process.exit(code);

const exit = (code: number): void => {
  process.exitCode = code;
};

/** What nobody closer by could tell: a problem like any other, not a stack. */
function failed(error: unknown): number {
  if (process.env["ISDLC_TRACE"] === "1") throw error;
  const { message, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const detail = syscall === "uv_cwd" ? "the folder you are in is no longer there" : message;
  const { what, fix } = describe({ code: "UNEXPECTED", detail });
  writeText(2, `UNEXPECTED: ${plainLine(what)}\n  ${fix}\n`);
  return 1;
}

process.once("uncaughtException", (error) => end(failed(error)));
void main(process.argv.slice(2)).catch(failed).then(exit);
