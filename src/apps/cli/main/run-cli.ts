import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../../../adapters/file-system/file-system.ts";
import { trustedPath } from "../../../adapters/git/read/trusted-path.ts";
import { describe, type Problem, ProblemError } from "../../../core/problem.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { ChoicesNeeded } from "../../../app/choice.ts";
import { choicesResult } from "../grammar/choice.ts";
import { firstLines, verbHelp } from "../grammar/help.ts";
import { createIo, type Io } from "../terminal/io.ts";
import { parse, type Parsed } from "../grammar/parse.ts";
import { done, flag, type Result, type Run, text } from "../grammar/verb.ts";

export type Host = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly version: string };

/** Finds the implementation of a verb; null when it is in the other bundle. */
export type Implementations = (name: string) => Run | undefined;

/** Parses, runs one verb and prints what came of it. The only place where problems become exit codes. */
export async function runCli(args: readonly string[], host: Host, implementations: Implementations): Promise<number> {
  const json = args.includes("--json");
  const io = createIo({ json, noColor: args.includes("--no-color"), env: host.env });
  const result = await outcome(args, { host, io, implementations });
  print(io, result, json);
  return result.code;
}

type Context = { readonly host: Host; readonly io: Io; readonly implementations: Implementations };

async function outcome(args: readonly string[], context: Context): Promise<Result> {
  try {
    return await dispatch(parse(args), context);
  } catch (error) {
    if (error instanceof ChoicesNeeded) return choicesResult(error.choices, context.io.interactive);
    if (error instanceof ProblemError) return problemResult(error.problem);
    if (errorCode(error) !== null) return problemResult(fileProblem(error));
    throw error;
  }
}

/** A failed file call that nobody closer by could make sense of. */
function fileProblem(error: unknown): Problem {
  const file = error instanceof Error && "path" in error ? String(error.path) : "a file";
  return { code: "WRITE_FAILED", file, detail: errorCode(error) ?? String(error) };
}

function dispatch(parsed: Parsed, { host, io, implementations }: Context): Promise<Result> {
  const { verb, values, words } = parsed;
  if (flag(values, "version")) return Promise.resolve(done([host.version], { version: host.version }));
  if (verb !== null && flag(values, "help")) return Promise.resolve(done(verbHelp(verb), { verb }));
  const run = implementations(verb === null ? (flag(values, "help") ? "help" : "bare") : verb.name);
  if (run === undefined) return Promise.resolve(done(firstLines));
  const cwd = folderOf(parsed, host);
  host.env["PATH"] = trustedPath(host.env["PATH"] ?? "", cwd); // once, for every program that is started from here on
  return run({ verb: verb ?? BARE, values, words, cwd, env: host.env, io });
}

function folderOf({ values, verb }: Parsed, { cwd }: Host): string {
  const wanted = text(values, "C");
  if (wanted === undefined) return cwd;
  const folder = resolve(cwd, wanted);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  const usage = `isdlc -C <folder that is there> ${verb === null || verb.name === "do" ? "…" : verb.name}`;
  throw new ProblemError({ code: "USAGE", detail: `There is no folder ${plainLine(folder)}.`, usage });
}

const BARE = { name: "isdlc", kind: "read", summary: "", usage: "isdlc", options: {} } as const;

/** Wrong usage is exit code 2, everything else that a person can mend is 1. */
export function problemResult(problem: Problem): Result {
  const { what, fix } = describe(problem);
  const code = problem.code === "USAGE" ? 2 : 1;
  return {
    code,
    lines: [`${problem.code}: ${what}`, `  ${fix}`],
    json: { ok: false, problem: { ...problem, what, fix } },
  };
}

function print(io: Io, { code, lines, json }: Result, wantsJson: boolean): void {
  if (wantsJson) io.out(JSON.stringify(json));
  else for (const line of lines) (code === 1 || code === 2 ? io.err : io.out)(line);
}
