import { join } from "node:path";
import { findBounds, everywhere, existing, HIDDEN, outermost, real, self } from "./bounds.ts";
import { type Bound, bwrapArguments, type SandboxPlan } from "./bwrap-arguments.ts";
import { toolPaths } from "./tool-paths.ts";
import type { Sandbox } from "../process/child-environment.ts";

/** Additional access for the tests of one working tree, allowed by the user. */
export type TestNeeds = {
  readonly network: boolean;
  /** Absolute paths. Missing paths are skipped. */
  readonly read: readonly string[];
  readonly write: readonly string[];
};

export type TestSandboxOptions = {
  /** Working tree. The tests see a copy instead of it. */
  readonly root: string;
  readonly gitDirs: readonly string[];
  readonly home: string;
  /** In the form of the variable PATH. */
  readonly path: string;
  /** Program and arguments of the tests. */
  readonly command: readonly string[];
  /** Folders hidden from everything in the sandbox. */
  readonly secret: readonly string[];
  readonly needs: TestNeeds;
  readonly bwrap: string;
};

/** A copy of the working tree, and paths of the original shown in it read-only, relative to the tree. */
export type TestFolder = { readonly copy: string; readonly readOnly: readonly string[] };

/**
 * Creates a sandbox for the tests of a working tree. It has separate processes and, unless allowed, no network. Of the
 * user's home, only installed tools and packages and the allowed paths are visible. A copy replaces the working tree.
 */
export function testSandbox(options: TestSandboxOptions, folder: TestFolder): Sandbox {
  return (argv) => [options.bwrap, ...bwrapArguments(planTestSandbox(options, folder)), ...argv];
}

function planTestSandbox(options: TestSandboxOptions, { copy, readOnly }: TestFolder): SandboxPlan {
  const { home, secret, gitDirs, needs } = options;
  const root = real(options.root) ?? options.root;
  const hidden = existing([...HIDDEN, home]);
  const bound = (paths: readonly string[]): readonly Bound[] => findBounds(paths, { home, hidden });
  const packages = PACKAGES.map((name) => join(home, name));
  const ownGit = join(root, ".git"); // a file in a linked worktree
  const readable = bound([...toolPaths(options), ...packages, ...needs.read]);
  const writable = bound(needs.write);
  return {
    hidden,
    shown: outermost(readable),
    emptied: [],
    writable: [...writable, { from: copy, at: root }],
    locked: [...existing([ownGit, ...gitDirs]).map(self), ...readOnly.map((path) => self(join(root, path)))],
    reopened: [],
    masked: everywhere(existing(secret), [...readable, ...writable]),
    cwd: root,
    offline: !needs.network,
  };
}

/** Folders of package managers for downloads, relative to the home folder. Without logins. */
const PACKAGES: readonly string[] = [
  ...".cargo/registry .cargo/git .cargo/config.toml go/pkg/mod .m2/repository .nuget/packages .gem/ruby".split(" "),
  ...".hex/packages .mix .local/share/virtualenvs .cache/pypoetry/virtualenvs .cache/ms-playwright".split(" "),
];
