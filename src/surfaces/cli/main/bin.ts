import type * as V8 from "node:v8";
import { loadBundle } from "./load-bundle.ts";
import { runFast } from "./run-fast.ts";
import { version } from "../../../compose/version.ts";
import { describe } from "../../../core/problem.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { writeText } from "../invocation/io.ts";
import type { runItems as RunItems } from "./run-items.ts";
import type { runAll as RunAll } from "./verbs.ts";
import type { runUi as RunUi } from "./ui.ts";

const VERSION_FLAGS = ["--version", "-V"];
/** Commands whose code is part of this bundle. Other code is read from disk on demand. */
const FAST = ["status", "next", "hook"];

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
    const { runItems } = require("./items.cjs") as { runItems: typeof RunItems }; // built into the same folder
    const code = await runItems(args, host);
    if (code !== null) return code;
  }
  stayLean(first === "ui" ? LASTING : LEAN);
  if (first === "ui") {
    const { runUi } = loadBundle("ui.cjs") as { runUi: typeof RunUi }; // the web UI's server runs for days, and loads only its own command
    return runUi(args, host);
  }
  const { runAll } = loadBundle("verbs.cjs") as { runAll: typeof RunAll }; // built into the same folder
  return runAll(args, host);
}

/**
 * Waiting for agents needs no heap growth, and each program start copies the resident memory. Most code runs only a
 * few times: a higher budget delays compiling to machine code, which costs more here than it saves.
 */
const LEAN = ["--semi-space-growth-factor=1", "--interrupt-budget=1000000"];
/** Saves a server that runs for days a fifth of its memory. Its response times stay the same. */
const LASTING = [...LEAN, "--optimize-for-size"];

function stayLean(flags: readonly string[]): void {
  const { setFlagsFromString } = require("node:v8") as typeof V8; // loaded on demand
  for (const flag of flags) setFlagsFromString(flag);
}

/** Exits at once. All output is written by then, and Node's orderly shutdown takes longer. */
const end = (code: number): never => process.exit(code);

const exit = (code: number): void => {
  process.exitCode = code;
};

/** Prints an unexpected error as a problem, without a stack trace. */
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
