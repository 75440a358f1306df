import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";
import {
  type Git,
  hardenedGit,
  must,
  wholeTreeTimeoutMs,
  withEnvironment,
} from "../../../src/adapters/git/process/git.ts";
import { decodePath, isTreePath, splitFields } from "../../../src/adapters/git/process/git-path.ts";
import { gitFailed, lastWords } from "../../../src/adapters/git/process/run-git.ts";
import { isBranchName, isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { isRemote } from "../remote-address.ts";
import { createNetworkGit, type NetworkGit, type NetworkLimits, REFS_AS_FILES } from "./network-git.ts";

/**
 * The server's bare copy of a repository, used as object store. Its refs only protect objects from garbage collection
 * and speed up the next fetch. No decision reads them: the state of the remote is always read from the remote.
 */
export type RepositoryCopy = {
  readonly folder: string;
  /** Runs git on object ids: no network, user or system configuration, hooks, filters or merge drivers. */
  readonly git: Git;
  /**
   * Reads these refs (full names) from the remote and fetches their objects. Returns the values read by this call,
   * without refs missing at the remote. @throws ProblemError GIT_FAILED
   */
  fetch(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Reads the branch of the remote's HEAD. Returns null if HEAD names none. */
  readMainBranch(): Promise<string | null>;
  /** Reads a regular file of a fetched commit. Returns null for anything else. */
  readFile(commit: string, path: string): Promise<Buffer | null>;
  /** Lists all files under a folder of a fetched commit. */
  listFiles(commit: string, folder: string): Promise<readonly string[]>;
  /** Updates refs of the remote atomically, and only if each ref still has its `from` value. */
  push(updates: readonly RefUpdate[]): Promise<PushResult>;
  /** Protects a commit in the copy from garbage collection, under this name. */
  keep(name: string, id: string): Promise<void>;
};

export type RefUpdate = {
  /** Full name. */
  readonly ref: string;
  readonly to: string;
  /** Expected value at the remote; null if the ref must not exist. */
  readonly from: string | null;
};

/** `detail`: output of git and the remote. A remote can report success and change nothing: read the ref again. */
export type PushResult = { readonly isAccepted: boolean; readonly detail: string };

export type RepositoryCopies = { open(remote: string): Promise<RepositoryCopy> };

export type CopiesOptions = NetworkLimits & { readonly folder: string; readonly env: NodeJS.ProcessEnv };

/** @throws ProblemError UNSAFE_PATH if the address is not a git remote. */
export function createRepositoryCopies({ folder, ...options }: CopiesOptions): RepositoryCopies {
  const opened = new Map<string, Promise<RepositoryCopy>>();
  return {
    open(remote) {
      if (!isRemote(remote))
        throw new ProblemError({ code: "UNSAFE_PATH", path: remote, detail: "it is not a git remote" });
      const known =
        opened.get(remote) ??
        openCopy({ folder: join(folder, `${sha256(remote).slice(0, 16)}.git`), ...options }, remote);
      opened.set(remote, known);
      known.catch(() => opened.delete(remote)); // the next call tries again
      return known;
    },
  };
}

async function openCopy({ folder, env, ...limits }: CopiesOptions, remote: string): Promise<RepositoryCopy> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const network = createNetworkGit(folder, env, limits);
  if (!existsSync(join(folder, "HEAD"))) {
    // Git applies attributes of HEAD's branch to merges: HEAD names a missing branch.
    const init = ["init", "--quiet", "--bare", "--template=", "--initial-branch=none"];
    await must(network(init, { environment: REFS_AS_FILES }), "init");
  }
  const git = objectsGit(folder, env);
  await deleteLeftRefs(folder, git);
  return {
    folder,
    git,
    fetch: (names) => fetchRefs({ network, git, remote }, names),
    async readMainBranch() {
      const [head = ""] = (await readText(network(["ls-remote", "--symref", remote, "HEAD"]), "ls-remote")).split("\n");
      const branch = /^ref: refs\/heads\/(\S+)\s/.exec(head)?.[1] ?? "";
      return isBranchName(branch) ? branch : null;
    },
    readFile: (commit, path) => readFileAt(git, commit, path),
    async listFiles(commit, under) {
      if (!isObjectId(commit) || !isTreePath(under)) return [];
      const args = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", under];
      return splitFields(await must(git(args), "ls-tree")).map(decodePath);
    },
    async push(updates) {
      for (const { ref } of updates) requireFullName(ref);
      const leases = updates.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`);
      const specs = updates.map(({ ref, to }) => `${to}:${ref}`);
      const done = await network(["push", "--porcelain", "--no-verify", "--atomic", ...leases, remote, ...specs]);
      return { isAccepted: done.status === 0, detail: lastWords(done) };
    },
    keep: async (name, id) =>
      void (await must(git(["update-ref", "--end-of-options", `${KEPT}${keptName(name)}`, id]), "update-ref")),
  };
}

/** Refs that protect objects. A fetch sends them to the remote as objects that the copy already has. */
const KEPT = "refs/kept/";
/** Temporary refs, with a folder for each fetch: the id of its process and a random part. */
const FETCHED = "refs/fetched/";

const keptName = (name: string): string => sha256(name).slice(0, 32);

/** Disables all git configuration files except the copy's own. */
const NO_CONFIGURATION = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function objectsGit(folder: string, env: NodeJS.ProcessEnv): Git {
  const git = withEnvironment(hardenedGit(folder, env), { ...NO_CONFIGURATION, GIT_DIR: folder });
  return (args, options) => git(args, { timeoutMs: wholeTreeTimeoutMs, ...options });
}

type FetchContext = { readonly network: NetworkGit; readonly git: Git; readonly remote: string };

async function fetchRefs(fetching: FetchContext, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { git } = fetching;
  const wanted = [...new Set(names)];
  for (const name of wanted) requireFullName(name);
  if (wanted.length === 0) return new Map();
  const under = `${FETCHED}${process.pid}-${randomUUID()}/`;
  try {
    const present = await fetchPresent(fetching, under, wanted);
    const list = await readText(git(["for-each-ref", "--format=%(objectname) %(refname)", under]), "for-each-ref");
    const ids = new Map(list.split("\n").map((line) => [line.slice(line.indexOf(" ") + 1), line.split(" ")[0] ?? ""]));
    const found = present.flatMap((name, at) => {
      const id = ids.get(`${under}${at}`);
      return id === undefined ? [] : [[name, id] as const];
    });
    await keepFetched(fetching, found);
    return new Map(found);
  } finally {
    await deleteRefs(git, under);
  }
}

/** Fetches the refs to `<under><index>`: names of the remote are not used for local refs. */
async function fetchPresent(
  fetching: FetchContext,
  under: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { network, remote } = fetching;
  const fetchThem = (some: readonly string[]) => {
    const specs = some.map((name, at) => `+${name}:${under}${at}`);
    return network(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, ...specs]);
  };
  const first = await fetchThem(names);
  if (first.status === 0) return names;
  const listed = new Set(
    (await readText(network(["ls-remote", remote, ...names]), "ls-remote"))
      .split("\n")
      .map((line) => line.split("\t")[1]),
  );
  const present = names.filter((name) => listed.has(name));
  if (present.length === names.length) throw gitFailed("fetch", lastWords(first));
  if (present.length > 0) await must(fetchThem(present), "fetch");
  return present;
}

/**
 * Protects the fetched objects, to avoid fetching them again. Errors are ignored: a concurrent fetch may write the
 * same ref.
 */
async function keepFetched({ git }: FetchContext, found: readonly (readonly [string, string])[]): Promise<void> {
  for (const [name, id] of found) await git(["update-ref", "--end-of-options", `${KEPT}${keptName(name)}`, id]);
}

async function deleteRefs(git: Git, under: string): Promise<void> {
  const list = await git(["for-each-ref", "--format=delete %(refname)", under]);
  if (list.stdout.length > 0) await git([...LOCK_PATIENCE, "update-ref", "--stdin"], { input: list.stdout });
}

/** Servers on one machine share a copy. Git waits only a second for the lock of another process by default. */
const LOCK_PATIENCE = ["-c", "core.packedRefsTimeout=60000", "-c", "core.filesRefLockTimeout=60000"];

/** Longer than a fetch can take. */
const LEFT_AFTER_MS = 20 * 60_000;

/**
 * Deletes temporary refs of killed processes: their number would grow with every crash. Checks the age, too: a server
 * in another container has process ids of its own.
 */
async function deleteLeftRefs(folder: string, git: Git): Promise<void> {
  const names = existsSync(join(folder, FETCHED)) ? readdirSync(join(folder, FETCHED)) : [];
  for (const name of names) {
    const age = Date.now() - (statSync(join(folder, FETCHED, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > LEFT_AFTER_MS && !isAlive(Number(name.split("-")[0]))) await deleteRefs(git, `${FETCHED}${name}/`);
  }
}

/** Names of an earlier version have no process id, and count as left. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function readFileAt(git: Git, commit: string, path: string): Promise<Buffer | null> {
  if (!isObjectId(commit) || !isTreePath(path)) return null;
  const entry = await git(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", path]);
  const [, mode, id] = /^(\d+) blob ([0-9a-f]+)\t/.exec(entry.stdout.toString("latin1")) ?? [];
  if (mode === undefined || id === undefined || !mode.startsWith("100")) return null;
  return must(git(["cat-file", "blob", id]), "cat-file");
}

function requireFullName(name: string): void {
  if (!name.startsWith("refs/") || !isBranchName(name))
    throw gitFailed("fetch", `${JSON.stringify(name)} is not the name of a ref`);
}

async function readText(...[result, command]: Parameters<typeof must>): Promise<string> {
  return (await must(result, command)).toString("utf8").trim();
}
