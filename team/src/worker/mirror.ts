import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { CommitId } from "../../../src/schema/ids.ts";
import { createNetworkGit, type NetworkLimits, REFS_AS_FILES } from "../copies/network-git.ts";
import { GitHostError, isHostFailure } from "../copies/host-failure.ts";
import { isRemote } from "../remote-address.ts";
import { type Refs, refsBelow } from "./ref-files.ts";
import { type EndedAmong, tidyMirror } from "./tidy-mirror.ts";
import { createTurns, type Turns } from "./turns.ts";

/**
 * A bare copy of a team's repository, out of reach of agents. All network operations happen here, unaffected by
 * settings and hooks that an agent left in a working tree.
 */
export type Mirror = {
  readonly folder: string;
  /** Fetches all branches, and the snapshots of a run if given. */
  fetch(run: string | null): Promise<void>;
  /** All branches and the snapshots of one run as last fetched, by full names. */
  refs(run: string): Refs;
  /**
   * Copies objects reachable from these ids into a new repository. Borrowed objects (alternates) would count as a
   * changed setting.
   */
  copyInto(objects: string, ids: Iterable<string>): Promise<void>;
  /** Returns the branch of the remote's HEAD. The answer may be a few seconds old. */
  mainBranch(): Promise<string>;
  /** Returns the tip of a branch as last fetched, or null if there is none. */
  tip(branch: string): string | null;
  /** Returns the trailers of the commits between two, or null if the first is not an ancestor of the second. */
  commitsBetween(from: string, to: string): Promise<readonly RunCommit[] | null>;
  /** Pushes objects of another repository by their ids. */
  push(objects: string, pushed: PushRequest): Promise<void>;
};

/** A commit and the attempt in its trailer. */
export type RunCommit = {
  readonly commit: CommitId;
  readonly attempt: string;
  /** Head of the journal in its trailer: number and first characters of the hash. Empty for a commit shown at a gate. */
  readonly journal: string;
};

export type PushRequest = {
  readonly specs: readonly string[];
  readonly lease: string | null;
  /** Waits for the host for up to an hour. Without it, only short outages are waited for. */
  readonly wait?: HostWait;
};

/** A drive that waits for the git host while it holds its run, because its agent's work is not pushed yet. */
export type HostWait = {
  /** Aborted to stop waiting. */
  readonly signal: AbortSignal;
  /** Called with the host's error before each pause, and with null after the push. */
  readonly note: (error: string | null) => void;
};

const MIRRORS = "mirrors";
const HEADS = "refs/heads/";
const PUSH_PAUSES_MS = [1000, 2000, 4000, 8000];
const MAX_PUSH_PAUSE_MS = 30_000;
const MAX_HOST_WAIT_MS = 60 * 60_000;
const FETCH = ["fetch", "--quiet", "--no-tags", "--force", "--prune"];

/** Folder for mirrors, the environment of git, and limits for fetches. */
export type MirrorOptions = NetworkLimits & { readonly data: string; readonly env: NodeJS.ProcessEnv };

/** Mirrors by remote, each opened once. Concurrent fetches of one remote are combined. */
export type Mirrors = {
  open(remote: string): Promise<Mirror>;
  /** Runs a drive with a mirror, which is not tidied in that time. */
  use<T>(remote: string, drive: (mirror: Mirror) => Promise<T>): Promise<T>;
  /** Lists all existing mirrors, opened or not. */
  folders(): readonly string[];
  /** Tidies a mirror unless a drive uses it. New drives wait. */
  tidy(folder: string, endedAmong: EndedAmong): Promise<void>;
};

export function createMirrors(keeping: MirrorOptions): Mirrors {
  const { data, env } = keeping;
  const opened = new Map<string, Promise<Mirror>>();
  const turns = new Map<string, Turns>();
  const turnsAt = (folder: string): Turns => {
    const known = turns.get(folder) ?? createTurns();
    turns.set(folder, known);
    return known;
  };
  const open = (remote: string): Promise<Mirror> => {
    const found = opened.get(remote) ?? openMirror(keeping, remote);
    opened.set(remote, found);
    found.catch(() => opened.delete(remote)); // the next call tries again
    return found;
  };
  return {
    open,
    use: async (remote, drive) => turnsAt(folderFor(data, remote)).among(async () => drive(await open(remote))),
    folders: () => {
      const all = join(data, MIRRORS);
      const names = existsSync(all) ? readdirSync(all) : [];
      return names.map((name) => join(all, name)).filter((folder) => existsSync(join(folder, "HEAD")));
    },
    tidy: (folder, endedAmong) =>
      turnsAt(folder).alone(() => tidyMirror({ folder, git: createNetworkGit(folder, env) }, endedAmong)),
  };
}

async function openMirror({ data, env, ...limits }: MirrorOptions, remote: string): Promise<Mirror> {
  const folder = folderFor(data, remote);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const git = createNetworkGit(folder, env, limits);
  const say = async (...args: readonly string[]): Promise<string> =>
    (await must(git(args), args[0] ?? "")).toString("utf8").trim();
  const ask = (...args: readonly string[]): Promise<string> => atHost(() => say(...args));
  if (!existsSync(join(folder, "HEAD")))
    await must(git(["init", "--quiet", "--bare"], { environment: REFS_AS_FILES }), "init");
  return {
    folder,
    fetch: together<string | null>(async (runs) => {
      const snapshots = runs.flatMap((run) => (run === null ? [] : `+refs/isdlc/${run}/*:refs/isdlc/${run}/*`));
      const fetch = () => ask(...FETCH, remote, "+refs/heads/*:refs/heads/*", ...snapshots);
      await fetch().catch((error: unknown) => (removeStaleLocks(folder, error) ? fetch() : Promise.reject(error)));
    }),
    refs: (run) => {
      const named = [HEADS, `refs/isdlc/${run}/`].flatMap((prefix) =>
        [...refsBelow(folder, prefix)].map(([name, id]) => [prefix + name, id] as const),
      );
      return new Map(named);
    },
    async copyInto(objects, ids) {
      const input = Buffer.from([...new Set(ids)].map((id) => `${id}\n`).join(""));
      const args = ["pack-objects", "--quiet", "--revs", "--delta-base-offset", join(objects, "pack", "pack")];
      await must(git(args, { input }), "pack-objects");
    },
    mainBranch: forAWhile(async () => {
      const [first = ""] = (await ask("ls-remote", "--symref", remote, "HEAD")).split("\n");
      return /^ref: refs\/heads\/(\S+)\s/.exec(first)?.[1] ?? "main";
    }),
    tip: (branch) => refsBelow(folder, HEADS).get(branch) ?? null,
    async commitsBetween(from, to) {
      if ((await git(["merge-base", "--is-ancestor", from, to])).status !== 0) return null;
      const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
      const format = `--format=%H ${trailer("Isdlc-Attempt")} ${trailer("Isdlc-Journal")}`;
      const lines = (await say("log", format, `${from}..${to}`)).split("\n").map((line) => line.split(" "));
      return lines.map(([commit = "", attempt = "", journal = ""]) => ({ commit, attempt, journal }));
    },
    async push(objects, { specs, lease, wait }) {
      const guarded = lease === null ? [] : [`--force-with-lease=${lease}`];
      const args = ["push", "--quiet", ...guarded, remote, ...specs];
      const environment = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
      await repeatPush(() => atHost(() => must(git(args, { environment }), "push")), wait);
    },
  };
}

/** Repeats a push during an outage of the host: the drive keeps its working tree, and no agent repeats work. */
async function repeatPush(push: () => Promise<unknown>, wait: HostWait | undefined): Promise<void> {
  const since = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      await push();
      return wait?.note(null);
    } catch (error) {
      const pause = PUSH_PAUSES_MS[tries] ?? MAX_PUSH_PAUSE_MS;
      const isOver = wait === undefined ? tries >= PUSH_PAUSES_MS.length : performance.now() - since > MAX_HOST_WAIT_MS;
      if (!(error instanceof GitHostError) || isOver || wait?.signal.aborted === true) throw error;
      wait?.note(error.message);
      await delay(pause, null, { signal: wait?.signal }).catch(() => undefined); // the next try is the last
    }
  }
}

/** Git holds a lock of a ref for milliseconds. */
const STALE_LOCK_MS = 10_000;

/** Removes locks of killed git processes after a fetch that failed because of one. Returns true if there were any. */
function removeStaleLocks(folder: string, error: unknown): boolean {
  if (!(error instanceof ProblemError) || error.problem.code !== "GIT_FAILED") return false;
  if (!/\.lock'?: File exists/.test(error.problem.detail)) return false;
  const stale = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".lock") && !path.startsWith("objects"))
    .map((path) => join(folder, path))
    .filter((path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STALE_LOCK_MS);
  for (const path of stale) rmSync(path, { force: true });
  return stale.length > 0;
}

/** @throws GitHostError if the host cannot be reached or temporarily accepts nothing */
async function atHost<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    const isTransient =
      error instanceof ProblemError && error.problem.code === "GIT_FAILED" && isHostFailure(error.problem.detail);
    if (!isTransient) throw error;
    throw new GitHostError(error.problem.detail, { cause: error });
  }
}

/**
 * Runs one operation at a time, because git locks the files it writes. Requests during an operation share the next
 * one.
 */
function together<One>(work: (wanted: readonly One[]) => Promise<void>): (one: One) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: { readonly wanted: Set<One>; readonly done: Promise<void> } | null = null;
  return (one) => {
    if (waiting === null) {
      const wanted = new Set<One>();
      const done = last.then(() => {
        waiting = null;
        return work([...wanted]);
      });
      last = done.catch(() => undefined); // the callers get the error
      waiting = { wanted, done };
    }
    waiting.wanted.add(one);
    return waiting.done;
  };
}

const A_WHILE = 10_000; // milliseconds

/** Caches an answer for a while. Errors are not cached. */
function forAWhile<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    const now = performance.now();
    if (asked !== null && now - asked.at < A_WHILE) return asked.answer;
    const answer = ask();
    asked = { at: now, answer };
    answer.catch(() => (asked = null));
    return answer;
  };
}

function folderFor(data: string, remote: string): string {
  if (!isRemote(remote))
    throw new ProblemError({ code: "UNSAFE_PATH", path: remote, detail: "it is not a git remote" });
  return join(data, MIRRORS, `${sha256(remote).slice(0, 16)}.git`);
}
