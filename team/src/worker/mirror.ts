import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sha256 } from "../../../src/adapters/file-system/node-crypto.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { createNetworkGit, REFS_AS_FILES } from "../copies/network-git.ts";
import { GitHostError, isHostFailure } from "../copies/host-failure.ts";
import { isRemote } from "../remote-address.ts";
import { type Refs, refsBelow } from "./ref-files.ts";
import { type EndedAmong, tidyMirror } from "./tidy-mirror.ts";
import { createTurns, type Turns } from "./turns.ts";

/**
 * A bare copy of a team's repository that no agent gets to see. Everything that goes over the network is done here, so
 * that no setting and no hook that an agent left in a working tree has a say in it.
 */
export type Mirror = {
  readonly folder: string;
  /** Brings every branch, and the snapshots of a run where one is named. */
  fetch(run: string | null): Promise<void>;
  /** Every branch, and the snapshots of one run, as they were last fetched, by their full names. */
  refs(run: string): Refs;
  /** Copies what these ids reach into the objects of a new repository: borrowed objects would be seen as a changed setting. */
  copyInto(objects: string, ids: Iterable<string>): Promise<void>;
  /** The branch that the remote's HEAD names, or named some seconds ago. */
  mainBranch(): Promise<string>;
  /** The commit a branch was at when it was last fetched; null where there is none. */
  tip(branch: string): string | null;
  /** What the commits between two say they were made for; null where one does not follow the other. */
  commitsBetween(from: string, to: string): Promise<readonly RunCommit[] | null>;
  /** Pushes objects of another repository by their ids. */
  push(objects: string, pushed: PushRequest): Promise<void>;
};

/** The attempt that a commit was made for, and the head of the journal then: its number and the beginning of its hash. */
export type RunCommit = { readonly attempt: string; readonly journal: string };

export type PushRequest = { readonly specs: readonly string[]; readonly lease: string | null };

const MIRRORS = "mirrors";
const HEADS = "refs/heads/";
const PUSH_PAUSES_MS = [1000, 2000, 4000, 8000];
const FETCH = ["fetch", "--quiet", "--no-tags", "--force", "--prune"];

/** The folder that a worker keeps mirrors in, and the environment that git is started in. */
export type MirrorOptions = { readonly data: string; readonly env: NodeJS.ProcessEnv };

/** Mirrors by their remotes, each opened once: what two drives want of one remote at the same time is fetched together. */
export type Mirrors = {
  open(remote: string): Promise<Mirror>;
  /** The same for a drive, during which the mirror is not tidied. */
  use<T>(remote: string, drive: (mirror: Mirror) => Promise<T>): Promise<T>;
  /** Every mirror that was made, whether opened or not. */
  folders(): readonly string[];
  /** Unless a drive works with the mirror. One that comes meanwhile waits. */
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
    found.catch(() => opened.delete(remote)); // whoever opens it next tries again
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

async function openMirror({ data, env }: MirrorOptions, remote: string): Promise<Mirror> {
  const folder = folderFor(data, remote);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const git = createNetworkGit(folder, env);
  const say = async (...args: readonly string[]): Promise<string> =>
    (await must(git(args), args[0] ?? "")).toString("utf8").trim();
  const ask = (...args: readonly string[]): Promise<string> => atHost(() => say(...args));
  if (!existsSync(join(folder, "HEAD")))
    await must(git(["init", "--quiet", "--bare"], { environment: REFS_AS_FILES }), "init");
  return {
    folder,
    fetch: together<string | null>(async (runs) => {
      const snapshots = runs.flatMap((run) => (run === null ? [] : `+refs/isdlc/${run}/*:refs/isdlc/${run}/*`));
      await ask(...FETCH, remote, "+refs/heads/*:refs/heads/*", ...snapshots);
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
      const format = `--format=${trailer("Isdlc-Attempt")} ${trailer("Isdlc-Journal")}`;
      const lines = (await say("log", format, `${from}..${to}`)).split("\n");
      return lines.map((line) => ({ attempt: line.split(" ")[0] ?? "", journal: line.split(" ")[1] ?? "" }));
    },
    async push(objects, { specs, lease }) {
      const guarded = lease === null ? [] : [`--force-with-lease=${lease}`];
      const args = ["push", "--quiet", ...guarded, remote, ...specs];
      const environment = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
      await repeatPush(() => atHost(() => must(git(args, { environment }), "push")));
    },
  };
}

/** Short outages are waited for here: the drive keeps its tree, and no agent has to work again. */
async function repeatPush(push: () => Promise<unknown>): Promise<void> {
  for (const pause of [...PUSH_PAUSES_MS, null]) {
    try {
      return void (await push());
    } catch (error) {
      if (!(error instanceof GitHostError) || pause === null) throw error;
      await delay(pause);
    }
  }
}

/** @throws GitHostError if the host cannot be reached or takes nothing for now */
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

/** One at a time, for git locks what it writes; whoever asks while one is under way shares the next. */
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
      last = done.catch(() => undefined); // told to those who asked
      waiting = { wanted, done };
    }
    waiting.wanted.add(one);
    return waiting.done;
  };
}

const A_WHILE = 10_000; // milliseconds

/** Asks anew only after a while, or where asking failed. */
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
