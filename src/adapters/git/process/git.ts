import { childProcess } from "../../process/node-child-process.ts";
import type { TalkingGit } from "./git-conversation.ts";
import { readingEnvironment } from "./git-environment.ts";
import { gitFailed, lastWords, runGit } from "./run-git.ts";
import type { GitResult } from "./run-git.ts";

export type GitOptions = {
  readonly input?: Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly whenTooLong?: "fail" | "cut";
};

/** Runs git in one folder. The first argument is the command. The caller checks the exit status. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

const readTimeoutMs = 5_000;
/** For calls that may read every file of the working tree. */
export const wholeTreeTimeoutMs = 120_000;

/**
 * Overrides for settings that start programs, use the network or hide changes, regardless of the repository's values.
 */
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

/** First arguments of every hardened git call. */
export const hardening = ["--no-optional-locks", "--no-pager", ...fixedSettings.flatMap((setting) => ["-c", setting])];

/**
 * Creates a git for reads and snapshots. It starts nothing configured by the repository. For content filters, see
 * `withoutFilters`.
 */
export function hardenedGit(cwd: string, env: NodeJS.ProcessEnv): Git {
  let always: NodeJS.ProcessEnv | null = null;
  return (args, options) =>
    runGit({
      cwd,
      args: [...hardening, ...args],
      timeoutMs: options?.timeoutMs ?? readTimeoutMs,
      environment: { ...(always ??= readingEnvironment(cwd, env)), ...options?.environment },
      ...(options?.input && { input: options.input }),
      ...(options?.whenTooLong && { whenTooLong: options.whenTooLong }),
    });
}

/** A working tree, and the environment of git processes in it. */
export type GitFolder = { readonly top: string; readonly env: NodeJS.ProcessEnv };

const staying = new Map<string, Set<TalkingGit>>();

/** Starts a hardened, long-running git that answers requests on its input. */
export function startGit(
  { top, env }: GitFolder,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): TalkingGit {
  const always = { ...readingEnvironment(top, env), ...environment };
  const options = { cwd: top, env: always, stdio: "pipe", windowsHide: true } as const;
  const git = childProcess().spawn("git", [...hardening, ...args], options);
  const here = staying.get(top) ?? new Set();
  staying.set(top, here.add(git));
  git.once("close", () => {
    here.delete(git);
    if (here.size === 0 && staying.get(top) === here) staying.delete(top);
  });
  return git;
}

/** Ends every long-running git of a working tree. The next request starts a new one. */
export function endStaying(top: string): void {
  for (const git of staying.get(top) ?? []) git.kill("SIGKILL");
}

/** Adds these variables to every call of a git. */
export const withEnvironment =
  (git: Git, environment: Readonly<Record<string, string>>): Git =>
  (args, options) =>
    git(args, { ...options, environment: { ...environment, ...options?.environment } });

/**
 * Returns the standard output of a call.
 * @throws ProblemError GIT_FAILED if the exit status is not 0.
 */
export async function must(result: Promise<GitResult>, command: string): Promise<Buffer> {
  const done = await result;
  if (done.status !== 0) throw gitFailed(command, lastWords(done));
  return done.stdout;
}
