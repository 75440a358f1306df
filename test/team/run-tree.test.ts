import {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { spareRunTree } from "../../team/src/worker/run-tree.ts";
import { createSpareTrees } from "../../team/src/worker/spare-trees.ts";
import {
  changeSecretly,
  listContents,
  first,
  folder,
  git,
  madeAnew,
  opened,
  placing,
  second,
  useRunTrees,
} from "./run-tree-fixture.ts";

useRunTrees();

const AGO = new Date("2026-01-01");

describe("a drive finds nothing of what was done in the tree of an earlier one", () => {
  test.for<[string, (root: string) => void]>([
    ["nothing was done", () => undefined],
    ["a file was changed, with its size and its times of before", (root) => changeSecretly(join(root, "b", "1"))],
    ["a file has other times", (root) => utimesSync(join(root, "b", "1"), AGO, AGO)],
    [
      "a file was replaced by one like it",
      (root) => {
        const text = readFileSync(join(root, "b", "1"));
        rmSync(join(root, "b", "1"));
        writeFileSync(join(root, "b", "1"), text, { mode: 0o666 });
      },
    ],
    ["a file has another name, too", (root) => linkSync(join(root, "b", "1"), join(folder, "elsewhere"))],
    ["a file may be run", (root) => chmodSync(join(root, "b", "1"), 0o755)],
    [
      "files changed places",
      (root) => {
        renameSync(join(root, "a", "1"), join(root, "aside"));
        renameSync(join(root, "b", "1"), join(root, "a", "1"));
        renameSync(join(root, "aside"), join(root, "b", "1"));
      },
    ],
    [
      "folders changed places",
      (root) => {
        renameSync(join(root, "a"), join(root, "aside"));
        renameSync(join(root, "b"), join(root, "a"));
        renameSync(join(root, "aside"), join(root, "b"));
      },
    ],
    [
      "a folder became a link",
      (root) => {
        renameSync(join(root, "b"), join(folder, "b"));
        symlinkSync(join(folder, "b"), join(root, "b"));
      },
    ],
    [
      "a folder was copied and put in its place",
      (root) => {
        cpSync(join(root, "b"), join(root, "copy"), { recursive: true, preserveTimestamps: true });
        rmSync(join(root, "b"), { recursive: true });
        renameSync(join(root, "copy"), join(root, "b"));
      },
    ],
    ["a folder was opened to everybody", (root) => chmodSync(join(root, "b"), 0o777)],
    [
      "a folder became a file",
      (root) => {
        rmSync(join(root, "b"), { recursive: true });
        writeFileSync(join(root, "b"), "");
      },
    ],
    [
      "a link leads elsewhere",
      (root) => {
        rmSync(join(root, "link"));
        symlinkSync("/etc/hostname", join(root, "link"));
      },
    ],
    [
      "files were added",
      (root) => {
        mkdirSync(join(root, "b", "deep", "er"), { recursive: true });
        for (const path of ["b/deep/er/file", "b/built", "built", ".env"]) writeFileSync(join(root, path), "added\n");
      },
    ],
    ["files were removed", (root) => rmSync(join(root, "b"), { recursive: true })],
    ["a repository was made inside", (root) => void git(join(root, "b"), "init", "--quiet")],
    [
      "the repository has a hook and other settings",
      (root) => {
        mkdirSync(join(root, ".git", "hooks"), { recursive: true });
        writeFileSync(join(root, ".git", "hooks", "pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
        appendFileSync(join(root, ".git", "config"), "[core]\n\tfsmonitor = /bin/false\n");
      },
    ],
    [
      "the index says that nothing changes",
      (root) => {
        git(root, "update-index", "--assume-unchanged", "b/1");
        changeSecretly(join(root, "b", "1"));
      },
    ],
    [
      "our own folder was filled",
      (root) => {
        mkdirSync(join(root, ".isdlc", "work"), { recursive: true });
        writeFileSync(join(root, ".isdlc", "work", "plan.md"), "# Plan\n");
      },
    ],
  ])("%s", async ([, done]) => {
    const spares = createSpareTrees(folder);
    const ended = { run: first, base: "main", spares };
    done(await opened(ended));
    spareRunTree(placing(ended));
    for (const base of ["main", "other", "windows"]) {
      const next = { run: second, base, spares };
      const root = await opened(next);
      expect(listContents(root)).toEqual(await anew(base, root));
      expect(git(root, "status", "--porcelain", "--ignored")).toBe("");
      spareRunTree(placing(next));
    }
  });

  /** Beside the tree in question, which has the same name. */
  async function anew(base: string, root: string): Promise<readonly string[]> {
    const aside = join(folder, "aside");
    renameSync(root, aside);
    const content = await madeAnew(base);
    mkdirSync(dirname(root), { recursive: true }); // the helper removed the last tree of the run
    renameSync(aside, root);
    return content;
  }
});
