import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRepositoryCopies, type RepositoryCopy } from "../../team/src/copies/repository-copies.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

let folder: string;
let remote: string;
let work: string;
let copy: RepositoryCopy;

const MAIN = "refs/heads/main";
const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: folder });

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: env(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Commits a file in the working repository. */
function commit(path: string, content: string): string {
  mkdirSync(join(work, path, ".."), { recursive: true });
  writeFileSync(join(work, path), content);
  git(work, "add", "--all");
  git(work, "-c", "user.name=bob", "-c", "user.email=bob@example.org", "commit", "--quiet", "--message", path);
  return git(work, "rev-parse", "HEAD");
}

const openCopy = (): Promise<RepositoryCopy> =>
  createRepositoryCopies({ folder: join(folder, "copies"), env: env(), maxBytes: 1e9 }).open(remote);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "isdlc-copies-"));
  remote = join(folder, "remote.git");
  work = join(folder, "work");
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  git(folder, "init", "--quiet", "--initial-branch=main", work);
  git(work, "remote", "add", "origin", remote);
  commit("config/settings.json", "{}\n");
  git(work, "push", "--quiet", "origin", "main");
  copy = await openCopy();
});
afterEach(() => removeTemporary(folder));

describe("copy of a repository", () => {
  test("returns the refs of this fetch, without missing ones", async () => {
    const first = git(work, "rev-parse", "HEAD");
    expect(await copy.fetch([MAIN, "refs/heads/none"])).toEqual(new Map([[MAIN, first]]));
    const second = commit("a", "a\n");
    git(work, "push", "--quiet", "origin", "main");
    const other = await openCopy(); // Another process, in the same folder.
    const [own, others] = await Promise.all([copy.fetch([MAIN]), other.fetch([MAIN])]);
    expect([own.get(MAIN), others.get(MAIN)]).toEqual([second, second]);
    expect(git(copy.folder, "for-each-ref", "refs/fetched")).toBe("");
    expect(await copy.fetch(["refs/heads/none"])).toEqual(new Map());
    await expect(copy.git(["cat-file", "-e", second])).resolves.toMatchObject({ status: 0 });
  });

  test("deletes old temporary refs of killed servers, and no others", async () => {
    const tip = (await copy.fetch([MAIN])).get(MAIN) ?? "";
    const [killed, recent, alive] = ["4194304-a", "4194304-b", `${process.pid}-c`]; // no process has the first id
    for (const name of [killed, recent, alive]) git(copy.folder, "update-ref", `refs/fetched/${name}/0`, tip);
    for (const name of [killed, alive]) utimesSync(join(copy.folder, "refs/fetched", name), 0, 0);
    await openCopy();
    const left = git(copy.folder, "for-each-ref", "--format=%(refname)", "refs/fetched").split("\n");
    expect(left.toSorted()).toEqual([`refs/fetched/${recent}/0`, `refs/fetched/${alive}/0`].toSorted());
  });

  test("reads files of a commit by path without following links", async () => {
    execFileSync("ln", ["-s", "/etc/passwd", join(work, "link")]);
    const head = commit("config/ä b", "odd\n");
    git(work, "push", "--quiet", "origin", "main");
    await copy.fetch([MAIN]);
    expect((await copy.readFile(head, "config/settings.json"))?.toString()).toBe("{}\n");
    expect(await copy.listFiles(head, "config")).toEqual(["config/settings.json", "config/ä b"]);
    for (const path of ["link", "config", "none", "../config/settings.json", "-z", ":(top)link"])
      expect(await copy.readFile(head, path), path).toBeNull();
  });

  test("reads the main branch and ignores an invalid name", async () => {
    expect(await copy.readMainBranch()).toBe("main");
    writeFileSync(join(remote, "HEAD"), "ref: refs/heads/-x\n");
    git(work, "push", "--quiet", "origin", "main:refs/heads/--upload-pack");
    expect(await copy.readMainBranch()).toBeNull();
  });

  test.for(["main", "refs/heads/../x", "refs/heads/a:b", "refs/heads/*", "refs/heads/a b", "--all", "refs/x.lock"])(
    "rejects %j as ref",
    async (name) => {
      await expect(copy.fetch([name])).rejects.toThrow("is not the name of a ref");
      const update = { ref: name, to: "0".repeat(40), from: null };
      await expect(copy.push([update])).rejects.toThrow("is not the name of a ref");
    },
  );

  test("pushes all refs or none, each only from the expected value", async () => {
    const base = git(work, "rev-parse", "HEAD");
    const next = commit("a", "a\n");
    git(work, "push", "--quiet", "origin", "HEAD:refs/heads/topic");
    await copy.fetch([MAIN, "refs/heads/topic"]);
    const run = { ref: "refs/isdlc/run/merged", to: next, from: null };
    const wrong = await copy.push([
      { ref: MAIN, to: next, from: base },
      { ...run, from: base },
    ]);
    expect(wrong).toMatchObject({ isAccepted: false });
    expect(git(remote, "rev-parse", "main")).toBe(base);
    expect(await copy.push([{ ref: MAIN, to: next, from: base }, run])).toMatchObject({ isAccepted: true });
    expect(git(remote, "rev-parse", "main", "refs/isdlc/run/merged")).toBe(`${next}\n${next}`);
  });

  test("rejects a fast-forward of a rewound base", async () => {
    const rewound = git(work, "rev-parse", "HEAD");
    const shown = commit("a", "a\n");
    const next = commit("b", "b\n");
    git(work, "push", "--quiet", "origin", "HEAD:refs/heads/topic");
    await copy.fetch([MAIN, "refs/heads/topic"]);
    expect(await copy.push([{ ref: MAIN, to: next, from: shown }])).toMatchObject({ isAccepted: false });
    expect(git(remote, "rev-parse", "main")).toBe(rewound);
  });

  test("runs no hooks, filters or merge drivers of user and machine", async () => {
    const ran = join(folder, "ran");
    const driver = `[merge "evil"]\n\tdriver = touch ${ran} && false\n[core]\n\tattributesFile = ${folder}/attributes\n\thooksPath = ${folder}\n`;
    writeFileSync(join(folder, ".gitconfig"), driver);
    writeFileSync(join(folder, "attributes"), "* merge=evil\n");
    for (const hook of ["pre-push", "post-merge", "post-index-change"])
      writeFileSync(join(folder, hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    commit(".gitattributes", "* merge=evil\n");
    const ours = commit("config/settings.json", "{ }\n");
    git(work, "switch", "--quiet", "--create", "theirs", "HEAD~2");
    const theirs = commit("b", "b\n");
    git(work, "push", "--quiet", "--no-verify", "origin", `${ours}:refs/heads/main`, "theirs");
    rmSync(ran, { force: true });
    await copy.fetch([MAIN, "refs/heads/theirs"]);
    await expect(copy.git(["merge-tree", "--write-tree", ours, theirs])).resolves.toMatchObject({ status: 0 });
    await copy.push([{ ref: "refs/heads/new", to: theirs, from: null }]);
    expect(git(remote, "rev-parse", "new")).toBe(theirs);
    expect(readdirSync(folder)).not.toContain("ran");
  });
});
