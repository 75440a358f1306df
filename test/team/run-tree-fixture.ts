import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { RunId } from "../../src/schema/ids.ts";
import { createMirrors, type Mirror } from "../../team/src/worker/mirror.ts";
import { openRunTree, removeRunTree } from "../../team/src/worker/run-tree.ts";
import { createSpareTrees, type SpareTrees } from "../../team/src/worker/spare-trees.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

export const first = "20261116-101112345-aaaa" as RunId;
export const second = "20261116-101112345-bbbb" as RunId;

export let folder: string;
export let mirror: Mirror;

/** Creates a remote, a mirror of it and the folder of a worker for each test. */
export function useRunTrees(): void {
  const { PATH } = process.env;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "isdlc-run-trees-"));
    newRemote();
    mirror = await createMirrors({ data: folder, env: env() }).open(join(folder, "remote.git"));
    await mirror.fetch(null);
  });
  afterEach(() => {
    process.env["PATH"] = PATH;
    removeTemporary(folder);
  });
}

export const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: folder,
  GIT_CONFIG_GLOBAL: "/dev/null",
});

export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: env(), encoding: "utf8" }).trim();

/** With a branch `main`, one with some different files, and one with different line endings. */
function newRemote(): void {
  const made = join(folder, "made");
  const write = (path: string, text: string): void => {
    mkdirSync(join(made, path, ".."), { recursive: true });
    writeFileSync(join(made, path), text);
  };
  const commit = (): void => {
    git(made, "-c", "core.safecrlf=false", "add", "--all");
    git(made, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=One");
  };
  for (const path of ["a/1", "a/2", "b/1", "b/2", "b/c/1", "top"]) write(path, `${path}\n`);
  write("run", "#!/bin/sh\n");
  chmodSync(join(made, "run"), 0o755);
  symlinkSync("a/1", join(made, "link"));
  write(".gitignore", "built\n");
  git(made, "init", "--quiet", "--initial-branch=main");
  commit();
  git(made, "switch", "--quiet", "--create", "other");
  write("a/1", "other\n");
  write("b/new", "new\n");
  rmSync(join(made, "b", "2"));
  commit();
  git(made, "switch", "--quiet", "--create", "windows", "main");
  write(".gitattributes", "* eol=crlf\n");
  commit();
  git(made, "switch", "--quiet", "--create", "linked", "main");
  symlinkSync("* eol=crlf", join(made, ".gitattributes"));
  commit();
  git(made, "switch", "--quiet", "--create", "odd", "main");
  writeFileSync(Buffer.from(`${made}/odd\xff`, "latin1"), "odd\n");
  commit();
  git(folder, "clone", "--quiet", "--bare", made, "remote.git");
}

type Drive = { readonly run: RunId; readonly base: string; readonly spares: SpareTrees };

export const placing = ({ run, spares }: Pick<Drive, "run" | "spares">) => ({ data: folder, run, epoch: 1, spares });

export async function opened({ run, base, spares }: Drive): Promise<string> {
  const standing = { base, baseTip: mirror.tip(base) ?? "", left: null };
  const wanted = { ...placing({ run, spares }), env: env(), standing, author: "isdlc for ada", knows: () => true };
  return (await openRunTree(mirror, wanted)).root;
}

/** Paths in a folder. */
export const below = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();

/** All content, except what git writes differently each time. */
export const listContents = (root: string): readonly string[] =>
  below(root)
    .filter((path) => !/^\.git\/(?:index|objects\/pack\/.*)$/.test(path))
    .map((path) => {
      const { mode } = lstatSync(join(root, path));
      const kind = mode & 0o170000;
      const text =
        kind === 0o120000
          ? readlinkSync(join(root, path))
          : kind === 0o040000
            ? ""
            : readFileSync(join(root, path), "utf8");
      return [path, mode.toString(8), text].join(" ");
    });

export const listInodes = (root: string, paths: readonly string[]): readonly number[] =>
  paths.map((path) => lstatSync(join(root, path)).ino);

/** Content of a new tree. */
export async function madeAnew(base: string): Promise<readonly string[]> {
  const drive = { run: second, base, spares: createSpareTrees(folder) };
  const content = listContents(await opened(drive));
  removeRunTree(placing(drive));
  return content;
}

/** Changes the content, but not its size and times. */
export function changeSecretly(file: string): void {
  const { atime, mtime } = lstatSync(file);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/./, "X"));
  utimesSync(file, atime, mtime);
}
