import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../src/adapters/file-system/node-crypto.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { writingEnvironment } from "../../../src/adapters/git/process/git-environment.ts";
import { type GitResult, runGit } from "../../../src/adapters/git/process/run-git.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { isRemote } from "../remote-address.ts";

/**
 * A bare copy of a team's repository that no agent gets to see. Everything that goes over the network is done here, so
 * that no setting and no hook that an agent left in a working tree has a say in it.
 */
export type Mirror = {
  readonly folder: string;
  /** Brings every branch, and the snapshots of a run where one is named. */
  fetch(run: string | null): Promise<void>;
  /** Copies branches and the run's snapshots into a new repository: borrowed objects would be seen as a changed setting. */
  copyInto(root: string, run: string): Promise<void>;
  /** The branch that the remote's HEAD names. */
  mainBranch(): Promise<string>;
  /** The commit a branch was at when it was last fetched; null where there is none. */
  tip(branch: string): Promise<string | null>;
  /** What the commits between two say they were made for; null where one does not follow the other. */
  commitsBetween(from: string, to: string): Promise<readonly RunCommit[] | null>;
  /** Pushes objects of another repository by their ids. */
  push(objects: string, pushed: Pushed): Promise<void>;
};

/** The attempt that a commit was made for, and the head of the journal then: its number and the beginning of its hash. */
export type RunCommit = { readonly attempt: string; readonly journal: string };

export type Pushed = { readonly specs: readonly string[]; readonly lease: string | null };

const TIMEOUT = 15 * 60_000; // milliseconds: a first fetch may be long
const OURS = ["core.hooksPath=/dev/null", "gc.auto=0", "protocol.ext.allow=never", "push.followTags=false"];

/** The folder that a worker keeps mirrors in, and the environment that git is started in. */
export type Keeping = { readonly data: string; readonly env: NodeJS.ProcessEnv };

export async function openMirror({ data, env }: Keeping, remote: string): Promise<Mirror> {
  const folder = folderFor(data, remote);
  const git = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<GitResult> =>
    runGit({
      cwd: folder,
      args: ["--no-pager", ...OURS.flatMap((setting) => ["-c", setting]), ...args],
      environment: { ...writingEnvironment(folder, env), ...environment },
      timeoutMs: TIMEOUT,
    });
  const say = async (...args: readonly string[]): Promise<string> =>
    (await must(git(args), args[0] ?? "")).toString("utf8").trim();
  if (!existsSync(join(folder, "HEAD"))) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await say("init", "--quiet", "--bare");
  }
  return {
    folder,
    async fetch(run) {
      const snapshots = run === null ? [] : [`+refs/isdlc/${run}/*:refs/isdlc/${run}/*`];
      await say("fetch", "--quiet", "--no-tags", "--force", remote, "+refs/heads/*:refs/heads/*", ...snapshots);
    },
    async copyInto(root, run) {
      const specs = ["+refs/heads/*:refs/isdlc-mirror/heads/*", `+refs/isdlc/${run}/*:refs/isdlc-mirror/${run}/*`];
      const settings = [...OURS, "protocol.file.allow=always"].flatMap((setting) => ["-c", setting]);
      const args = [...settings, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", folder, ...specs];
      await must(runGit({ cwd: root, args, environment: writingEnvironment(root, env), timeoutMs: TIMEOUT }), "fetch");
    },
    async mainBranch() {
      const [first = ""] = (await say("ls-remote", "--symref", remote, "HEAD")).split("\n");
      return /^ref: refs\/heads\/(\S+)\s/.exec(first)?.[1] ?? "main";
    },
    async tip(branch) {
      const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}`]);
      return found.status === 0 ? found.stdout.toString("latin1").trim() : null;
    },
    async commitsBetween(from, to) {
      if ((await git(["merge-base", "--is-ancestor", from, to])).status !== 0) return null;
      const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
      const format = `--format=${trailer("Isdlc-Attempt")} ${trailer("Isdlc-Journal")}`;
      const lines = (await say("log", format, `${from}..${to}`)).split("\n");
      return lines.map((line) => ({ attempt: line.split(" ")[0] ?? "", journal: line.split(" ")[1] ?? "" }));
    },
    async push(objects, { specs, lease }) {
      const guarded = lease === null ? [] : [`--force-with-lease=${lease}`];
      const args = ["push", "--quiet", ...guarded, remote, ...specs];
      await must(git(args, { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }), "push");
    },
  };
}

function folderFor(data: string, remote: string): string {
  if (!isRemote(remote))
    throw new ProblemError({ code: "UNSAFE_PATH", path: remote, detail: "it is not a git remote" });
  return join(data, "mirrors", `${sha256(remote).slice(0, 16)}.git`);
}
