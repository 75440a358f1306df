import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { worktreeState } from "../../src/adapters/git/worktree/worktree-state.ts";
import { useRepository } from "../git/repository-fixture.ts";
import { makeLinkedTree } from "./linked-tree.ts";

const fixture = useRepository();
const fired = () => readdirSync(join(fixture.base, "fired")).toSorted();

function plant(name: string): string {
  const file = join(fixture.base, `program-${name}`);
  writeFileSync(file, `#!/bin/sh\n: > "${join(fixture.base, "fired")}/${name}"\ncat "$@" 2>/dev/null\nexit 0\n`);
  chmodSync(file, 0o755);
  return file;
}

test("runs no configured program when a worktree is scanned and removed [S5]", async () => {
  const tree = await makeLinkedTree(fixture);
  mkdirSync(join(fixture.base, "fired"));
  tree.commit(".gitattributes", "*.one filter=one diff=one\n");
  tree.commit("f.one", "first\n");
  fixture.git("config", "core.fsmonitor", plant("fsmonitor"));
  fixture.git("config", "filter.one.clean", plant("clean"));
  fixture.git("config", "diff.external", plant("external"));
  fixture.git("config", "diff.one.textconv", plant("textconv"));
  for (const name of ["post-index-change", "post-checkout", "reference-transaction"])
    fixture.hook(name, `: > "${join(fixture.base, "fired")}/hook"`);
  tree.write("f.one", "other\n");
  tree.git("status", "--porcelain");
  tree.git("add", "f.one");
  expect(fired()).toEqual(["clean", "fsmonitor", "hook"]);
  rmSync(join(fixture.base, "fired"), { recursive: true });
  mkdirSync(join(fixture.base, "fired"));

  expect((await worktreeState(tree.path, "main", process.env))?.uncommitted).toEqual(["f.one"]);
  expect(await tree.remove()).toMatchObject({ why: "uncommitted" });
  expect(fired()).toEqual([]);
  fixture.git("-c", "core.fsmonitor=false", "-C", tree.path, "reset", "--quiet", "--hard");
  rmSync(join(fixture.base, "fired"), { recursive: true });
  mkdirSync(join(fixture.base, "fired"));
  expect(await tree.remove({ unmerged: "stayOnBranch" })).toMatchObject({ ok: true });
  expect(fired()).toEqual([]);
});
