import { existsSync, lstatSync, mkdirSync, realpathSync, readlinkSync } from "node:fs";
import { join, dirname, resolve } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";
import type { AgentNeeds } from "./agent-needs.ts";
import { findBounds, everywhere, existing, HIDDEN, outermost, real, self, isWithin } from "./bounds.ts";
import { type Bound, bwrapArguments, type SandboxPlan } from "./bwrap-arguments.ts";
import type { ForwardedNetwork } from "./forwarded-network.ts";
import { type Tools, toolPaths } from "./tool-paths.ts";
import type { Sandbox, SandboxedFolder } from "../process/child-environment.ts";
import { otherTrees } from "../git/process/working-trees.ts";
import { ProblemError } from "../../core/problem.ts";

export type SandboxOptions = Tools & {
  /** Working tree of the run. */
  readonly root: string;
  /** Its git folder, and the one shared with other working trees; empty without git. */
  readonly gitDirs: readonly string[];
  /**
   * Folder for the run's documents, relative to the working tree. Writable even under `.isdlc`. Null if not known yet.
   */
  readonly documents: string | null;
  /** Folders hidden from everything in the sandbox: the user's settings, keys and tokens. */
  readonly secret: readonly string[];
  readonly needs: AgentNeeds;
  /** Additional absolute paths from the user's settings. Missing paths are skipped. */
  readonly extra: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly bwrap: string;
  /** Starts the way out of a separate network. Undefined: the agent has the user's network. */
  readonly network?: (() => ForwardedNetwork) | undefined;
};

export type SandboxResult =
  | { readonly ok: true; readonly sandbox: Sandbox }
  | { readonly ok: false; readonly why: string };

/** Creates a sandbox for one agent in one working tree. Existing paths are determined again for each execution. */
export function createSandbox(options: SandboxOptions): SandboxResult {
  const why = refusal(options);
  if (why !== null) return { ok: false, why };
  let network: ForwardedNetwork | undefined; // one for all executions
  const sandbox: Sandbox = (argv, place) => {
    network ??= options.network?.();
    const plan = planAgentSandbox(options, place);
    return [options.bwrap, ...bwrapArguments(withNetwork(plan, network)), ...(network?.wrap(argv) ?? argv)];
  };
  return { ok: true, sandbox };
}

const withNetwork = (plan: SandboxPlan, network: ForwardedNetwork | undefined): SandboxPlan =>
  network === undefined
    ? plan
    : { ...plan, locked: [...plan.locked, network.folder], variables: network.variables, offline: true };

const NO_TREES = ["/proc", "/dev", "/sys", "/run", "/etc", "/usr", "/bin", "/sbin", "/lib", "/boot"];

/** Returns the reason why this working tree cannot be sandboxed, or null. */
function refusal({ root, home, secret, extra }: SandboxOptions): string | null {
  const tree = real(root);
  if (tree === null) return `there is no folder ${root}`;
  if (real(home) === "/") return "the home folder is /";
  const within = existing([...HIDDEN, home, ...secret]).find((path) => isWithin(path, tree));
  if (within !== undefined) return `the working tree ${tree} contains ${within}, which has to stay hidden`;
  const around = existing([...NO_TREES, ...secret]).find((path) => isWithin(tree, path));
  if (around !== undefined) return `the working tree ${tree} is inside ${around}`;
  const loose = [...extra.read, ...extra.write].find((path) => !path.startsWith("/"));
  if (loose !== undefined) return `"${loose}" is not an absolute path`;
  const wide = existing(extra.write).find((path) => existing([home, ...secret]).some((inner) => isWithin(inner, path)));
  return wide === undefined ? null : `${wide} contains what has to stay hidden, and cannot be opened`;
}

function planAgentSandbox(options: SandboxOptions, { cwd, access }: SandboxedFolder): SandboxPlan {
  const { needs, extra, home, secret, gitDirs } = options;
  const root = realpathSync(options.root);
  const place = realpathSync(cwd);
  const tree = isWithin(place, root) ? root : place;
  refuseLinksOut(needs);
  for (const folder of [...needs.emptied, ...needs.make]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hidden = existing([...HIDDEN, home]);
  const bound = (paths: readonly string[]): readonly Bound[] => findBounds(paths, { home, hidden });
  const settings = GIT_SETTINGS.map((name) => join(home, name));
  const readable = bound([...toolPaths(options), ...settings, ...needs.read, ...extra.read]);
  if (tree === root && !existsSync(join(root, OWN_FOLDER)))
    throw unsafePath(join(root, OWN_FOLDER), "it is not there yet");
  const locks = access === "write" ? locksIn(tree, tree === root ? gitDirs : []) : { pinned: [], locked: [tree] };
  const writable = bound([...needs.write, ...needs.make, ...extra.write]);
  return {
    hidden,
    shown: outermost(readable.filter(({ at }) => hidden.some((folder) => isWithin(at, folder)))),
    emptied: bound(needs.emptied).map(({ at }) => at),
    writable: [...writable, ...[...(access === "write" ? [tree] : []), ...locks.pinned].map(self)],
    locked: [
      ...bound(needs.locked),
      ...existing([...(tree === root ? [] : [root]), ...gitDirs, ...locks.locked]).map(self),
    ],
    reopened: access === "write" ? documentsIn(tree, options.documents) : [],
    masked: everywhere(existing(secret), [...readable, ...writable]),
    cwd: place,
  };
}

/** Rejects links that lead out of folders writable by agents: an agent may have made them to reveal their targets. */
function refuseLinksOut({ emptied, write, make, locked }: AgentNeeds): void {
  for (const path of [...write, ...make, ...locked].filter(isLink)) {
    const own = emptied.find((folder) => isWithin(path, folder));
    if (own === undefined) continue;
    const [end, folder] = [real(path), real(own)];
    const leaves = end === null || folder === null || !isWithin(end, folder);
    if (leaves) throw unsafePath(path, `it is a link that leads out of ${own}; put what it leads to in its place`);
  }
}

const GIT_SETTINGS = [".gitconfig", ".config/git"];

/** Returns paths that stay read-only in a writable working tree. */
function locksIn(tree: string, gitDirs: readonly string[]): GitLocks {
  const own = [OWN_FOLDER, ".git"].map((name) => join(tree, name));
  for (const path of own) if (isLink(path)) throw unsafePath(path, "it is a link");
  const { pinned, locked } = gitLocks(tree, existing(gitDirs));
  return { pinned, locked: [...own.filter((path) => existsSync(path)), ...locked] };
}

/** Creates the writable document folder of a run without an item, which lies in `.isdlc`. Other runs have none. */
function documentsIn(tree: string, documents: string | null): readonly string[] {
  const folder = join(tree, documents ?? "");
  if (folder === join(tree, OWN_FOLDER) || !isWithin(folder, join(tree, OWN_FOLDER))) return [];
  mkdirSync(folder, { recursive: true });
  if (realpathSync(folder) !== folder) throw unsafePath(folder, "there is a link on the way to it");
  return [folder];
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

type GitLocks = {
  /** Parent folders of locked paths. As separate mounts they cannot be renamed. */
  readonly pinned: readonly string[];
  readonly locked: readonly string[];
};

/** Finds git files in a writable working tree, besides `.git`, that could make git run other programs. */
function gitLocks(tree: string, gitDirs: readonly string[]): GitLocks {
  const inside = (path: string): boolean => path !== tree && isWithin(path, tree);
  const linked = gitDirs.flatMap((folder) => SETTINGS.flatMap((name) => linkTarget(join(folder, name), tree) ?? []));
  const locked = [...new Set([...gitDirs, ...otherTrees(tree), ...linked])].filter(inside);
  return { pinned: [...new Set(locked.flatMap((path) => foldersBetween(tree, path)))], locked };
}

const SETTINGS = ["hooks", "config", "config.worktree", "info"];

/**
 * Returns the target of a link into the working tree, otherwise null. Chained links are rejected, because the second
 * link could be redirected.
 */
function linkTarget(path: string, tree: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
  const target = resolve(dirname(path), readlinkSync(path));
  const end = resolveEnd(target);
  if (!isWithin(target, tree) && (end === null || !isWithin(end, tree))) return null;
  if (end === target) return target;
  throw unsafePath(
    path,
    end === null ? "it is a link to something in the tree that is not there" : "it is a link to a link",
  );
}

function resolveEnd(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function foldersBetween(tree: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== tree; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

const unsafePath = (path: string, detail: string): ProblemError =>
  new ProblemError({ code: "UNSAFE_PATH", path, detail: `${detail}, which a sandbox cannot protect` });
