import { join } from "node:path";
import type { Sandbox } from "../process/sandboxed.ts";
import { findBounds, everywhere, existing, HIDDEN, outermost, real, self } from "./bounds.ts";
import { type Bound, bwrapArguments, type SandboxPlan } from "./bwrap-arguments.ts";
import { toolPaths } from "./tool-paths.ts";

/** What a person allows the tests of one working tree besides. */
export type TestNeeds = {
  readonly network: boolean;
  /** Absolute paths; what does not exist is passed over. */
  readonly read: readonly string[];
  readonly write: readonly string[];
};

export type TestSandboxOptions = {
  /** The working tree. The tests find a copy in its place. */
  readonly root: string;
  readonly gitDirs: readonly string[];
  readonly home: string;
  /** As in the variable PATH. */
  readonly path: string;
  /** Program and arguments of the tests. */
  readonly command: readonly string[];
  /** Folders nobody in the sandbox may see. */
  readonly secret: readonly string[];
  readonly needs: TestNeeds;
  readonly bwrap: string;
};

/** A copy of the tree, and what of the working tree itself shows in it, read-only; relative to the tree. */
export type TestFolder = { readonly copy: string; readonly readOnly: readonly string[] };

/**
 * A sandbox for the tests of a working tree: with processes and a network of their own, nothing of the person's home but
 * the tools and packages that are installed there, and a copy where the working tree is.
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
  const ownGit = join(root, ".git"); // in a linked working tree a file that leads to its folder
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

/** Where package managers keep what was downloaded, below a home. Nothing that holds a login. */
const PACKAGES: readonly string[] = [
  ...".cargo/registry .cargo/git .cargo/config.toml go/pkg/mod .m2/repository .nuget/packages .gem/ruby".split(" "),
  ...".hex/packages .mix .local/share/virtualenvs .cache/pypoetry/virtualenvs .cache/ms-playwright".split(" "),
];
