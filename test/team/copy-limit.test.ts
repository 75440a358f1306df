import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRepositoryCopies, type RepositoryCopy } from "../../team/src/copies/repository-copies.ts";
import { createMirrors } from "../../team/src/worker/mirror.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const MAX_BYTES = 1_000_000;
const RUN = "20261119-100000000-abcd";

let folder: string;
let remote: string;
let work: string;

const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" });
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: env(), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Pushes files with random content, which git cannot compress. */
function push(ref: string, sizes: readonly number[]): string {
  for (const [at, size] of sizes.entries())
    writeFileSync(join(work, `${ref.replaceAll("/", "-")}-${at}`), randomBytes(size));
  git(work, "-c", "core.compression=0", "add", "--all");
  git(work, "-c", "user.name=eve", "-c", "user.email=eve@example.org", "commit", "--quiet", "--message", ref);
  git(work, "-c", "pack.compression=0", "push", "--quiet", remote, `HEAD:${ref}`);
  return git(work, "rev-parse", "HEAD");
}

const packs = (at: string): string => join(at, "objects", "pack");
const bytesIn = (at: string): number =>
  readdirSync(packs(at)).reduce((sum, name) => sum + statSync(join(packs(at), name)).size, 0);
const unfinishedIn = (at: string): string[] => readdirSync(join(at, "incoming"));
const openCopy = (): Promise<RepositoryCopy> =>
  createRepositoryCopies({ folder: join(folder, "copies"), env: env(), maxBytes: MAX_BYTES }).open(remote);

describe("a limited copy of a repository", () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "isdlc-limit-"));
    remote = join(folder, "remote.git");
    work = join(folder, "work");
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", remote);
    git(remote, "config", "pack.compression", "0");
    git(folder, "init", "--quiet", "--initial-branch=main", work);
    push("refs/heads/main", [100]);
  });
  afterEach(() => removeTemporary(folder));

  const large = { code: "COPY_TOO_LARGE", maxBytes: MAX_BYTES };

  test.for<[string, readonly number[]]>([
    ["one large file", [10_000_000]],
    ["many files that are large together", Array.from({ length: 150 }, () => 70_000)],
  ])("stops a fetch of %s, removes its data, and fetches other branches", async ([, sizes]) => {
    const main = git(remote, "rev-parse", "main");
    push("refs/heads/evil", sizes);
    const copy = await openCopy();
    await expect(copy.fetch(["refs/heads/evil"])).rejects.toMatchObject({ problem: large });
    expect(unfinishedIn(copy.folder)).toEqual([]);
    const listProcesses = (): string[] => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
    await expect.poll(() => listProcesses().filter((line) => line.includes(remote))).toEqual([]);
    expect(bytesIn(copy.folder)).toBeLessThan(MAX_BYTES);
    expect(git(copy.folder, "for-each-ref")).toBe("");
    expect([...(await copy.fetch(["refs/heads/main"])).values()]).toEqual([main]);
  });

  test("counts what earlier fetches brought, and still reads refs without new objects", async () => {
    const copy = await openCopy();
    const names = Array.from({ length: 4 }, (_, at) => `refs/isdlc/${RUN}/${at}`);
    const tips = names.map((name) => push(name, [400_000]));
    expect([...(await copy.fetch(names.slice(0, 2))).values()]).toEqual(tips.slice(0, 2));
    await expect(copy.fetch(names)).rejects.toMatchObject({ problem: large });
    expect([...(await copy.fetch(names.slice(0, 2))).values()]).toEqual(tips.slice(0, 2));
  });

  test("lets concurrent fetches of several processes succeed", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `refs/heads/b${at}`);
    const tips = names.map((name) => push(name, [1000]));
    const copies = await Promise.all([openCopy(), openCopy(), openCopy()]);
    const fetched = await Promise.all(names.map(async (name, at) => copies[at % copies.length]?.fetch([name])));
    expect(fetched.map((refs, at) => refs?.get(names[at] ?? ""))).toEqual(tips);
  });

  test("stops a fetch of the web UI's copy, too", async () => {
    push(`refs/isdlc/${RUN}/${"a".repeat(40)}`, [10_000_000]);
    const mirror = await createMirrors({ data: join(folder, "page"), env: env(), maxBytes: MAX_BYTES }).open(remote);
    await expect(mirror.fetch(RUN)).rejects.toMatchObject({ problem: large });
    expect(bytesIn(mirror.folder)).toBeLessThan(MAX_BYTES);
    await mirror.fetch(null);
    expect(mirror.tip("main")).toBe(git(remote, "rev-parse", "main"));
  });

  test("deletes what fetches of killed servers left", async () => {
    const { folder: at } = await openCopy();
    for (const name of ["1-killed", "1-running"])
      mkdirSync(join(at, "incoming", name, "objects", "pack"), { recursive: true });
    utimesSync(join(at, "incoming", "1-killed", "objects", "pack"), 0, 0);
    await openCopy();
    expect(unfinishedIn(at)).toEqual(["1-running"]);
  });

  test("joins small packs after many fetches, and keeps all objects", async () => {
    const copy = await openCopy();
    await copy.fetch(["refs/heads/main"]);
    const blobs = Array.from({ length: 55 }, (_, at) => `blob\ndata ${String(at).length}\n${at}\ncheckpoint\n`);
    const options = { cwd: copy.folder, env: env(), input: blobs.join("") };
    execFileSync("git", ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet"], options);
    const listPacks = (): string[] => readdirSync(packs(copy.folder)).filter((name) => name.endsWith(".pack"));
    const listObjects = (): string[] =>
      git(copy.folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
    expect(listPacks().length).toBeGreaterThan(50);
    const objects = listObjects();
    push("refs/heads/next", [10]);
    await copy.fetch(["refs/heads/next"]);
    expect(listPacks().length).toBeLessThan(5);
    expect(listObjects()).toEqual(expect.arrayContaining(objects));
  });
});
