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

describe("reused tree of a drive", () => {
  test.for<[string, (root: string) => void]>([
    ["no change", () => undefined],
    ["a file changed with its size and times kept", (root) => changeSecretly(join(root, "b", "1"))],
    ["changed times of a file", (root) => utimesSync(join(root, "b", "1"), AGO, AGO)],
    [
      "a file replaced by an equal one",
      (root) => {
        const text = readFileSync(join(root, "b", "1"));
        rmSync(join(root, "b", "1"));
        writeFileSync(join(root, "b", "1"), text, { mode: 0o666 });
      },
    ],
    ["a hard link to a file", (root) => linkSync(join(root, "b", "1"), join(folder, "elsewhere"))],
    ["a file made executable", (root) => chmodSync(join(root, "b", "1"), 0o755)],
    [
      "swapped files",
      (root) => {
        renameSync(join(root, "a", "1"), join(root, "aside"));
        renameSync(join(root, "b", "1"), join(root, "a", "1"));
        renameSync(join(root, "aside"), join(root, "b", "1"));
      },
    ],
    [
      "swapped folders",
      (root) => {
        renameSync(join(root, "a"), join(root, "aside"));
        renameSync(join(root, "b"), join(root, "a"));
        renameSync(join(root, "aside"), join(root, "b"));
      },
    ],
    [
      "a folder replaced by a link",
      (root) => {
        renameSync(join(root, "b"), join(folder, "b"));
        symlinkSync(join(folder, "b"), join(root, "b"));
      },
    ],
    [
      "a folder replaced by its copy",
      (root) => {
        cpSync(join(root, "b"), join(root, "copy"), { recursive: true, preserveTimestamps: true });
        rmSync(join(root, "b"), { recursive: true });
        renameSync(join(root, "copy"), join(root, "b"));
      },
    ],
    ["a folder made writable for everyone", (root) => chmodSync(join(root, "b"), 0o777)],
    [
      "a folder replaced by a file",
      (root) => {
        rmSync(join(root, "b"), { recursive: true });
        writeFileSync(join(root, "b"), "");
      },
    ],
    [
      "a changed link",
      (root) => {
        rmSync(join(root, "link"));
        symlinkSync("/etc/hostname", join(root, "link"));
      },
    ],
    [
      "added files",
      (root) => {
        mkdirSync(join(root, "b", "deep", "er"), { recursive: true });
        for (const path of ["b/deep/er/file", "b/built", "built", ".env"]) writeFileSync(join(root, path), "added\n");
      },
    ],
    ["removed files", (root) => rmSync(join(root, "b"), { recursive: true })],
    ["a nested repository", (root) => void git(join(root, "b"), "init", "--quiet")],
    [
      "a hook and changed settings",
      (root) => {
        mkdirSync(join(root, ".git", "hooks"), { recursive: true });
        writeFileSync(join(root, ".git", "hooks", "pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
        appendFileSync(join(root, ".git", "config"), "[core]\n\tfsmonitor = /bin/false\n");
      },
    ],
    [
      "an assume-unchanged entry",
      (root) => {
        git(root, "update-index", "--assume-unchanged", "b/1");
        changeSecretly(join(root, "b", "1"));
      },
    ],
    [
      "files in .isdlc",
      (root) => {
        mkdirSync(join(root, ".isdlc", "work"), { recursive: true });
        writeFileSync(join(root, ".isdlc", "work", "plan.md"), "# Plan\n");
      },
    ],
  ])("equals a new tree despite %s", async ([, done]) => {
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

  /** A new tree at the same path, next to the original one. */
  async function anew(base: string, root: string): Promise<readonly string[]> {
    const aside = join(folder, "aside");
    renameSync(root, aside);
    const content = await madeAnew(base);
    mkdirSync(dirname(root), { recursive: true }); // The helper removed the last tree of the run.
    renameSync(aside, root);
    return content;
  }
});
