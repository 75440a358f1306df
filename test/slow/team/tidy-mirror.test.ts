import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunId } from "../../../src/schema/ids.ts";
import { createMirrors, type Mirror } from "../../../team/src/worker/mirror.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

/** One more pack than git keeps before it collects. */
const PACKS = 51;
const DAY = 24 * 60 * 60; // seconds

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "isdlc-tidy-mirror-"))));
afterEach(() => removeTemporary(folder));

const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" });
const git = (cwd: string, args: readonly string[], input = ""): string =>
  execFileSync("git", args, { cwd, env: env(), input, encoding: "utf8" }).trim();

const runAt = (number: number): RunId => `20261116-${String(number).padStart(9, "0")}-abcd`;

/** A bare repository with one branch. */
function newRemote(): string {
  const remote = join(folder, "remote.git");
  mkdirSync(remote);
  git(remote, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  addCommits(remote, ["refs/heads/main"]);
  return remote;
}

/** Adds a parentless commit with one file for each ref, like a snapshot. */
function addCommits(remote: string, refs: readonly string[]): void {
  const commit = (ref: string): string =>
    `commit ${ref}\ncommitter a <a@example.org> 0 +0000\ndata 1\na\nM 100644 inline file\ndata ${ref.length}\n${ref}\n\n`;
  git(remote, ["fast-import", "--quiet"], refs.map(commit).join(""));
}

const snapshotRef = (run: RunId): string => `refs/isdlc/${run}/snapshot`;

/** Drives one run after the other, with a fetch for each. */
async function fetchEach(mirror: Mirror, remote: string, runs: readonly RunId[]): Promise<void> {
  addCommits(remote, runs.map(snapshotRef));
  for (const run of runs) await mirror.fetch(run);
}

const listRefs = (mirror: Mirror): readonly string[] =>
  git(mirror.folder, ["for-each-ref", "--format=%(refname)"]).split("\n");

const countObjects = (mirror: Mirror): number =>
  [...git(mirror.folder, ["count-objects", "-v"]).matchAll(/^(?:count|in-pack): (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );

/** Makes all fetched packs two days old. */
function age({ folder: mirror }: Mirror): void {
  const packs = join(mirror, "objects", "pack");
  const then = Date.now() / 1000 - 2 * DAY;
  for (const file of readdirSync(packs)) utimesSync(join(packs, file), then, then);
}

test("removes objects of ended runs from a mirror and keeps those of open runs", async () => {
  const remote = newRemote();
  const mirrors = createMirrors({ data: folder, env: env() });
  const mirror = await mirrors.open(remote);
  git(mirror.folder, ["config", "fetch.unpackLimit", "1"]);
  const open = runAt(0);
  await fetchEach(mirror, remote, [open]);
  const few = countObjects(mirror);
  for (const round of [1, 2]) {
    const runs = Array.from({ length: PACKS }, (_, number) => runAt(round * 1000 + number));
    await fetchEach(mirror, remote, runs);
    age(mirror);
    expect(countObjects(mirror)).toBeGreaterThan(few + PACKS);
    await mirrors.tidy(mirror.folder, (asked) => Promise.resolve(asked.filter((run) => run !== open)));
    expect(listRefs(mirror)).toEqual(["refs/heads/main", snapshotRef(open)]);
    expect(countObjects(mirror)).toBe(few);
    expect(git(mirror.folder, ["show", `${snapshotRef(open)}:file`])).toBe(snapshotRef(open));
    expect(git(mirror.folder, ["fsck", "--no-dangling"])).toBe("");
    expect(mirror.refs(open).get(snapshotRef(open))).toBe(git(remote, ["rev-parse", snapshotRef(open)]));
  }
  mkdirSync(join(folder, "mirrors", "cut-off.git"));
  expect(mirrors.folders()).toEqual([mirror.folder]);
});

test("keeps objects fetched within a day, even if no ref names them", async () => {
  const remote = newRemote();
  const mirrors = createMirrors({ data: folder, env: env() });
  const mirror = await mirrors.open(remote);
  git(mirror.folder, ["config", "fetch.unpackLimit", "1"]);
  const runs = Array.from({ length: PACKS }, (_, number) => runAt(number));
  await fetchEach(mirror, remote, runs);
  const fetched = countObjects(mirror);
  await mirrors.tidy(mirror.folder, (asked) => Promise.resolve(asked));
  expect(listRefs(mirror)).toEqual(["refs/heads/main"]);
  expect(countObjects(mirror)).toBe(fetched);
  expect(readdirSync(join(mirror.folder, "objects", "pack")).length).toBeLessThan(PACKS);
});

test("leaves a mirror alone while a run uses it or its server does not answer", async () => {
  const remote = newRemote();
  const mirrors = createMirrors({ data: folder, env: env() });
  const mirror = await mirrors.open(remote);
  const run = runAt(1);
  await fetchEach(mirror, remote, [run]);
  const asked: (readonly RunId[])[] = [];
  await mirrors.use(remote, () =>
    mirrors.tidy(mirror.folder, (runs) => {
      asked.push(runs);
      return Promise.resolve(runs);
    }),
  );
  expect(asked).toEqual([]);
  const away = mirrors.tidy(mirror.folder, () => Promise.reject(new Error("no answer")));
  await expect(away).rejects.toThrow("no answer");
  expect(listRefs(mirror)).toContain(snapshotRef(run));
});
