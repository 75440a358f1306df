import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { RunId } from "../../src/schema/ids.ts";
import { createRepositoryCopies, type RepositoryCopy } from "../../team/src/copies/repository-copies.ts";
import type { MergeOrder } from "../../team/src/merging/merge-onto-base.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

/** A bare remote with a branch `main`, and clones of users and workers. */
export type MergeScene = {
  readonly folder: string;
  readonly remote: string;
  /** Runs git in a folder; `cwd` is relative to the scene's folder. */
  git(cwd: string, ...args: readonly string[]): string;
  /** Commits a file onto the tip of a remote branch and pushes it like a user. Null if another push came first. */
  pushFile(branch: string, path: string, content?: string): string | null;
  /** Commits a file onto a commit and force-pushes it to a branch. */
  forceFile(branch: string, onto: string, path: string): string;
  /** A copy like on a server; servers on one machine share the folder. */
  openCopy(folder?: string): Promise<RepositoryCopy>;
  tip(branch: string): string;
};

export let scene: MergeScene;

export function useMergeScene(): void {
  beforeEach(() => {
    scene = createMergeScene();
  });
  afterEach(() => removeTemporary(scene.folder));
}

export function createMergeScene(): MergeScene {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-merges-"));
  const remote = join(folder, "remote.git");
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=bob", "-c", "user.email=bob@example.org", "-c", "advice.detachedHead=false"];
  const git = (cwd: string, ...args: readonly string[]): string => {
    const options = { cwd: join(folder, cwd), env, encoding: "utf8" } as const;
    return execFileSync("git", [...who, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] }).trim();
  };
  git(".", "init", "--quiet", "--bare", "--initial-branch=main", "remote.git");
  git(".", "init", "--quiet", "--initial-branch=none", "clone");
  git("clone", "remote", "add", "origin", remote);
  const commitFile = (path: string, content: string): string => {
    mkdirSync(join(folder, "clone", path, ".."), { recursive: true });
    writeFileSync(join(folder, "clone", path), content);
    git("clone", "add", "--all");
    git("clone", "commit", "--quiet", "--message", `Add ${path}`);
    return git("clone", "rev-parse", "HEAD");
  };
  commitFile("README.md", "readme\n");
  git("clone", "push", "--quiet", "origin", "HEAD:refs/heads/main");
  return {
    folder,
    remote,
    git,
    pushFile(branch, path, content = `${path}\n`) {
      git("clone", "fetch", "--quiet", "origin");
      git("clone", "checkout", "--quiet", "--detach", `origin/${branch}`);
      const commit = commitFile(path, content);
      try {
        git("clone", "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
        return commit;
      } catch {
        return null;
      }
    },
    forceFile(branch, onto, path) {
      git("clone", "fetch", "--quiet", "origin");
      git("clone", "checkout", "--quiet", "--detach", onto);
      const commit = commitFile(path, `${path}\n`);
      git("clone", "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
      return commit;
    },
    openCopy: (name = "copies") => createRepositoryCopies({ folder: join(folder, name), env }).open(remote),
    tip: (branch) => git("remote.git", "rev-parse", `refs/heads/${branch}`),
  };
}

/** A run whose branch has one commit after main, with both commits displayed to an approver. */
export function orderMerge(number: number, wanted: Partial<MergeOrder> = {}): MergeOrder {
  const shown = scene.tip("main");
  const branch = `feature/${number}`;
  const commit = wanted.commit ?? scene.forceFile(branch, shown, `src/made-${number}.js`);
  return {
    run: `20261116-1011123${String(number).padStart(2, "0")}-abcd` as RunId,
    branch,
    base: "main",
    commit,
    shown,
    accepted: { tree: scene.git("remote.git", "rev-parse", `${commit}^{tree}`), except: new Set() },
    isSquash: false,
    message: `Merge ${branch}`,
    author: "ada",
    at: "2026-11-16T10:11:12.000Z",
    earlier: [],
    addRecord: (_copy, accepted) => Promise.resolve(accepted),
    note: () => Promise.resolve(),
    ...wanted,
  };
}
