import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createWorktree } from "../../src/adapters/git/worktree/worktree-create.ts";
import { removeWorktree } from "../../src/adapters/git/worktree/worktree-remove.ts";
import { openTreeJournal, type Tree } from "../journal-file/sample-run.ts";
import type { RemoveRequest } from "../../src/ports/worktrees.ts";
import type { Fixture } from "../git/repository-fixture.ts";
import { agreeing } from "../git/repository-fixture.ts";

export type LinkedTree = {
  readonly path: string;
  git(...args: string[]): string;
  write(path: string, content: string): void;
  commit(path: string, content: string): void;
  remove(changes?: Partial<RemoveRequest>): ReturnType<typeof removeWorktree>;
};

/** A committed file and an ignore rule in the main worktree, and a linked worktree on branch `work`. */
export async function makeLinkedTree(fixture: Fixture, name = "repo-1-a", branch = "work"): Promise<LinkedTree> {
  if (name === "repo-1-a") {
    fixture.write("a", "1\n");
    fixture.write(".gitignore", "*.log\nbuild/\n.isdlc/\n");
    fixture.commitAll("one");
  }
  const made = await createWorktree(fixture.repo, { branch, path: `../${name}`, base: "main" }, agreeing);
  if (!made.ok) throw new Error(made.fix);
  return linkedTreeAt(fixture, made.path);
}

export function linkedTreeAt(fixture: Fixture, path: string): LinkedTree {
  const git = (...args: string[]) => fixture.gitIn(path, ...args);
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  return {
    path,
    git,
    write,
    commit(file, content) {
      write(file, content);
      git("add", "--force", "--", file);
      git("commit", "--quiet", "-m", `change ${file}`);
    },
    remove: (changes = {}) =>
      removeWorktree(fixture.repo, { path, base: "main", cwd: fixture.repo, ...changes }, process.env),
  };
}

/** The journals of a working tree; `item` for those of an item's analysis. */
export function journalIn(fixture: Fixture, root: string, item: string | null = null) {
  const own = item === null ? join(root, ".isdlc") : join(root, ".isdlc", "items", item);
  mkdirSync(own, { recursive: true });
  const tree: Tree = { root: own, user: join(fixture.base, "user"), journal: join(own, "journal") };
  return openTreeJournal(tree);
}
