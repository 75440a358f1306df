import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../../../adapters/files/file-system.ts";
import { trustedPath } from "../../../adapters/git/process/working-trees.ts";
import { describe, type Problem, ProblemError } from "../../../core/problem.ts";
import { fitLine } from "../../../views/wrap-lines.ts";
import { jsonText, plainLine } from "../../../views/plain-text.ts";
import { ChoicesNeeded } from "../../../app/choice.ts";
import type { DryRunShown } from "../../../app/start/dry-run.ts";
import { dryRunLines } from "../../../views/dry-run.ts";
import { choicesResult } from "../grammar/choice.ts";
import { overview, verbHelp } from "../grammar/help.ts";
import { createIo, type Io, writeText } from "../invocation/io.ts";
import { parse, type ParsedArguments } from "../grammar/parse.ts";
import { done, flag, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { withTokenHidden } from "../invocation/caller.ts";
import type { RunState } from "../../../core/run.ts";
import type { RunEvent } from "../../../schema/event.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openInvokedProject } from "../invocation/project-of.ts";

export type Host = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly version: string };

/** Finds the implementation of a command. Undefined if this bundle does not contain it. */
export type Implementations = (name: string) => Run | undefined;

/**
 * Parses the arguments, runs one command and prints its result. The only place that converts problems to exit codes.
 */
export async function runCli(args: readonly string[], host: Host, implementations: Implementations): Promise<number> {
  const json = args.includes("--json");
  const io = createIo({ json, noColor: args.includes("--no-color"), env: host.env });
  const result = await outcome(args, { host, io, implementations });
  try {
    print(io, result, json);
  } catch (error) {
    tellLoudly(unprinted(error, result)); // if the output fails, the exit code is still correct
  }
  return result.code;
}

type CommandContext = { readonly host: Host; readonly io: Io; readonly implementations: Implementations };

async function outcome(args: readonly string[], context: CommandContext): Promise<Result> {
  let invocation: Invocation | null = null;
  try {
    const parsed = parse(args);
    const answered = withoutVerb(parsed, context);
    if (answered !== null) return answered;
    invocation = toInvocation(parsed, context);
    const run = context.implementations(commandName(parsed));
    return run === undefined ? done(overview) : await run(invocation);
  } catch (error) {
    if (error instanceof ChoicesNeeded) return choicesResult(error.choices, context.io.interactive);
    if (isDryRun(error)) return done(dryRunLines(error.dryRun), { dryRun: error.dryRun });
    const problem = toProblem(error);
    return (await recordedAllTheSame(invocation, problem)) ?? problemResult(problem);
  }
}

/** Compares the name: the class is in the bundle of the commands that start runs. */
const isDryRun = (error: unknown): error is DryRunShown => error instanceof Error && error.name === "DryRunShown";

/** Converts any error to a problem, also an unexpected one. */
function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (errorCode(error) !== null) return fileProblem(error);
  if (process.env["ISDLC_TRACE"] === "1") throw error;
  return { code: "UNEXPECTED", detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

/** Reports a failed file operation that no caller handled. */
function fileProblem(error: unknown): Extract<Problem, { code: "WRITE_FAILED" }> {
  const file = error instanceof Error && "path" in error ? String(error.path) : "a file";
  return { code: "WRITE_FAILED", file, detail: errorCode(error) ?? String(error) };
}

/** Acknowledges a recorded decision, even if something failed after it. */
async function recordedAllTheSame(invocation: Invocation | null, problem: Problem): Promise<Result | null> {
  if (invocation === null || !["decide", "begin"].includes(invocation.verb.kind)) return null;
  if (problem.code === "COMMAND_REFUSED" && problem.refusal.why === "runActive") return null; // the open run belongs to another command
  const state = await recordedHere(invocation);
  if (state === null) return null;
  const { lines, json } = problemResult(problem.code === "WRITE_FAILED" ? { ...problem, recorded: true } : problem);
  const isWaiting = state.is === "active" && state.wait !== null;
  const told = ["Recorded. The next step failed:", ...lines, "To continue: isdlc resume"];
  return { code: isWaiting ? 3 : 0, lines: told, json: { ...json, ok: true, recorded: true } };
}

function withoutVerb({ verb, values }: ParsedArguments, { host }: CommandContext): Result | null {
  if (flag(values, "version") || verb?.name === "version") return done([host.version], { version: host.version });
  return verb !== null && flag(values, "help") ? done(verbHelp(verb), { verb }) : null;
}

const commandName = ({ verb, values }: ParsedArguments): string =>
  verb?.name ?? (flag(values, "help") ? "help" : "bare");

function toInvocation(parsed: ParsedArguments, { host, io }: CommandContext): Invocation {
  const cwd = resolveFolder(parsed, host);
  host.env["PATH"] = trustedPath(host.env["PATH"] ?? "", cwd); // once, for every program started later
  return {
    verb: parsed.verb ?? BARE,
    values: parsed.values,
    words: parsed.words,
    cwd,
    env: withTokenHidden(host.env),
    io,
  };
}

function resolveFolder({ values, verb }: ParsedArguments, { cwd }: Host): string {
  const wanted = text(values, "C");
  if (wanted === undefined) return cwd;
  const folder = resolve(cwd, wanted);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  const usage = `isdlc -C <folder that is there> ${verb === null || verb.name === "do" ? "…" : verb.name}`;
  throw new ProblemError({ code: "USAGE", detail: `There is no folder ${plainLine(folder)}.`, usage });
}

const BARE = { name: "isdlc", kind: "read", summary: "", usage: "isdlc", options: {} } as const;

type ToldProblem = {
  readonly code: string;
  readonly what: string;
  readonly fix: string;
  /** URL of the team server, if it reported the problem. */
  readonly server?: string;
};

/** Reports a team server's problem like a local one: with its code, text and facts. */
function toldProblem(problem: Problem): ToldProblem {
  if (problem.code !== "SERVER_REFUSED" || problem.reason === null) return { ...problem, ...describe(problem) };
  const { url: server, reason: code, what, fix, facts } = problem;
  return { ...facts, code, what, fix, server };
}

/** Exit code 2 for wrong usage, 1 for everything else that the user can fix. */
export function problemResult(problem: Problem): Result {
  const told = toldProblem(problem);
  const { code, what, fix } = told;
  return {
    code: code === "USAGE" ? 2 : 1,
    lines: [`${code}: ${what}`, `  ${fix}`],
    json: { ok: false, problem: told },
  };
}

function tellLoudly(lines: readonly string[]): void {
  try {
    writeText(2, `${lines.join("\n")}\n`);
  } catch {
    return; // both outputs failed
  }
}

/** Reports the failed output. The exit code, not this text, tells if the decision was recorded. */
function unprinted(error: unknown, { code }: Result): readonly string[] {
  const { lines } = problemResult({ ...fileProblem(error), file: "the result", recorded: true });
  return [...lines, `  The exit code is still ${code}: 0 and 3 mean that it was done or recorded.`];
}

function print(io: Io, result: Result, wantsJson: boolean): void {
  if (wantsJson) return io.out(jsonText(result.json)); // created on demand
  const { code, lines } = result;
  for (const line of lines)
    (code === 1 || code === 2 ? io.err : io.out)(io.interactive ? fitLine(line, io.columns) : line);
}

/**
 * Returns the state of the run if this process recorded a person's decision in it. Null if it did not, or if the
 * journal is unreadable.
 */
async function recordedHere(invocation: Invocation): Promise<RunState | null> {
  try {
    const project = openInvokedProject(invocation);
    const { run, state } = await currentRun(project);
    const events = run === null ? [] : project.journal.events(run);
    return events.some(isOurs) ? state : null;
  } catch {
    return null; // the original problem is more useful than a journal error
  }
}

const BEGAN = Date.now() - performance.now();
const TOLERANCE = 1000; // milliseconds: recorded times are rounded, and the clock may be set in the meantime

/** Compares the process id of the event's origin. The start of a run by a script has none: its time is compared. */
function isOurs(event: RunEvent): boolean {
  if (!("by" in event) || typeof event.by === "string") return false;
  const at = Date.parse(event.at);
  if (event.type === "run.started" && event.by.channel === "script") return at >= BEGAN;
  return at >= BEGAN - TOLERANCE && "origin" in event.by && event.by.origin?.pid === process.pid;
}
