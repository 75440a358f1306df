import { readingEnvironment, writingEnvironment } from "./git-environment.ts";
import { splitFields } from "./git-path.ts";
import { gitFailed, lastWords, runGit } from "./run-git.ts";
import type { GitResult } from "./run-git.ts";

export type GitOptions = {
  readonly input?: Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly whenTooLong?: "fail" | "cut";
};

/** Git in one folder. The first argument is the command; the status is for the caller to read. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

const readTimeoutMs = 5_000;
/** For calls that may read every file of the tree. */
export const wholeTreeTimeoutMs = 120_000;
/** Hooks run tests and linters. */
const writeTimeoutMs = 15 * 60_000;

/** Settings that start programs, reach the network or hide changes: fixed here, whatever the repository says. */
const fixedSettings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.ignoreStat=false",
  "core.checkStat=default",
  "core.trustctime=true",
  "core.safecrlf=false",
  "core.sshCommand=",
  "core.askPass=",
  "core.alternateRefsCommand=",
  "credential.helper=",
  "diff.external=",
  "diff.orderFile=/dev/null",
  "log.showSignature=false",
  "protocol.allow=never",
  "protocol.ext.allow=never",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
];

const hardening = ["--no-optional-locks", "--no-pager", ...fixedSettings.flatMap((setting) => ["-c", setting])];

/** For questions and snapshots: starts nothing that the repository configures. Content filters: see `withoutFilters`. */
export function hardenedGit(cwd: string): Git {
  return (args, options) =>
    runGit({
      cwd,
      args: [...hardening, ...args],
      timeoutMs: options?.timeoutMs ?? readTimeoutMs,
      environment: { ...readingEnvironment(), ...options?.environment },
      ...(options?.input && { input: options.input }),
      ...(options?.whenTooLong && { whenTooLong: options.whenTooLong }),
    });
}

/** For changes a person asked for: their hooks, filters and signing apply. */
export function personalGit(cwd: string): Git {
  return (args, options) =>
    runGit({
      cwd,
      args: ["--no-pager", "-c", "advice.detachedHead=false", ...args],
      timeoutMs: options?.timeoutMs ?? writeTimeoutMs,
      environment: { ...writingEnvironment(), ...options?.environment },
      runsHooks: true,
      ...(options?.input && { input: options.input }),
    });
}

/** Standard output of a call that has to work. */
export async function must(result: Promise<GitResult>, command: string): Promise<Buffer> {
  const done = await result;
  if (done.status !== 0) throw gitFailed(command, lastWords(done));
  return done.stdout;
}

/**
 * Environment that empties every content filter the configuration names. The names come from the repository and may
 * hold `=`, which `-c` would misread, so they travel as GIT_CONFIG_KEY_n.
 */
export async function withoutFilters(git: Git): Promise<Record<string, string>> {
  const listed = await git(["config", "--name-only", "-z", "--get-regexp", "^filter\\."]);
  const filters = new Set(
    splitFields(listed.stdout).map((key) => key.toString("utf8").replace(/^filter\.(.*)\.[^.]*$/s, "$1")),
  );
  const settings = [...filters].flatMap((name) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>; // built from pairs of strings just above
}
