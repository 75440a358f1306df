import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import type { LeftTree } from "../../src/schema/api-team.ts";
import type { RunId } from "../../src/schema/ids.ts";
import { createHandOver } from "../../team/src/worker/hand-over.ts";
import { createMirrors, type Mirrors } from "../../team/src/worker/mirror.ts";
import { openRunTree, removeRunTree } from "../../team/src/worker/run-tree.ts";
import { createSpareTrees } from "../../team/src/worker/spare-trees.ts";
import { createDraws, type Draws } from "../support/draws.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const SEEDS = [1, 2];
const ROUNDS = 5;
const DRIVES = 3;

/** `commits`: all commits pushed to the run's branch, oldest first. */
type Drive = { readonly run: RunId; epoch: number; left: LeftTree | null; readonly commits: string[] };

type Place = {
  readonly remote: string;
  readonly drives: readonly Drive[];
  /** Commits of people on main, oldest first, including one that is being pushed. */
  readonly theirs: string[];
  /** Number of them whose push has ended. */
  pushed: number;
  mirrors: Mirrors;
};

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "isdlc-interleaving-"))));
afterEach(() => removeTemporary(folder));

const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" });
const WHO = ["-c", "user.name=dora", "-c", "user.email=dora@example.org"];
const gitNow = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: env(), encoding: "utf8" }).trim();
const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)("git", [...args], { cwd, env: env() })).stdout.trim();

function createPlace(): Place {
  const [remote, theirs] = [join(folder, "remote.git"), join(folder, "theirs")];
  gitNow(folder, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  gitNow(folder, "clone", "--quiet", remote, theirs);
  gitNow(theirs, "switch", "--quiet", "--create", "main");
  gitNow(theirs, ...WHO, "commit", "--quiet", "--allow-empty", "--message=First");
  gitNow(theirs, "push", "--quiet", "origin", "main");
  const drives = Array.from({ length: DRIVES }, (_, at) => {
    const run = `20261116-10111234${at}-abcd` as RunId;
    return { run, epoch: 0, left: null, commits: [] };
  });
  return { remote, drives, theirs: [gitNow(theirs, "rev-parse", "HEAD")], pushed: 1, mirrors: newMirrors() };
}

const newMirrors = (): Mirrors => createMirrors({ data: folder, env: env() });

/** One drive: opens a working tree, commits and pushes. After a crash, the push is not recorded. */
const driveOnce = ({ mirrors, remote }: Place, drive: Drive, isRecorded: boolean): Promise<void> =>
  mirrors.use(remote, async (mirror) => {
    const { run } = drive;
    const [epoch, branch, spares] = [++drive.epoch, `isdlc/${run}`, createSpareTrees(folder)];
    await mirror.fetch(run);
    const standing = { base: "main", baseTip: mirror.tip("main") ?? "", left: drive.left };
    const wanted = { data: folder, env: env(), run, epoch, standing, author: "isdlc for ada", spares };
    const tree = await openRunTree(mirror, { ...wanted, knows: () => true });
    const started = await git(tree.root, "rev-parse", "HEAD");
    if (drive.left === null) await git(tree.root, "switch", "--quiet", "--create", branch);
    else expect(started).toBe(drive.commits.at(-1)); // the recorded push, or the one that was not recorded
    const workspace = createGitWorkspace(tree.root, { run, env: env() });
    const wait = { signal: new AbortController().signal, note: () => undefined };
    const handOver = createHandOver({ mirror, tree, run, item: "item", branch, workspace, wait });
    writeFileSync(join(tree.root, `${run}-${epoch}.txt`), `${epoch}\n`);
    await git(tree.root, "add", "--all");
    const message = `Phase\n\nIsdlc-Attempt: ${run}/01#${epoch}\nIsdlc-Journal: 1:abc\n`;
    await git(tree.root, "commit", "--quiet", "--message", message);
    const left = await handOver.push([]);
    drive.commits.push(await git(tree.root, "rev-parse", "HEAD"));
    if (isRecorded || drive.left === null) drive.left = left;
    removeRunTree({ data: folder, run, epoch, spares });
  });

async function pushTheirs(place: Place): Promise<void> {
  const { theirs } = place;
  const clone = join(folder, "theirs");
  await git(clone, ...WHO, "commit", "--quiet", "--allow-empty", "--message=Theirs");
  theirs.push(await git(clone, "rev-parse", "HEAD"));
  await git(clone, "push", "--quiet", "origin", "main");
  place.pushed = theirs.length;
}

/** A fetch sees at least the state of the remote at its start. */
async function fetchMain(place: Place): Promise<void> {
  const mirror = await place.mirrors.open(place.remote);
  const known = place.pushed;
  await mirror.fetch(null);
  expect(place.theirs.slice(known - 1)).toContain(mirror.tip("main"));
}

/** A killed worker leaves locks of git, and the next process opens the same folder. */
async function crash(place: Place, draws: Draws): Promise<void> {
  const { folder: mirror } = await place.mirrors.open(place.remote);
  const lock = join(mirror, draws.pick(["packed-refs.lock", "refs/heads/main.lock"]));
  writeFileSync(lock, "");
  utimesSync(lock, 0, 0);
  place.mirrors = newMirrors();
}

test.each(SEEDS)(
  "loses and mixes up nothing in an interleaving of drives, pushes, fetches and crashes, seed %i",
  async (seed) => {
    const draws = createDraws(seed);
    const place = createPlace();
    let crashes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const driving = place.drives.map((drive) => () => driveOnce(place, drive, draws.below(3) > 0));
      const others = [() => pushTheirs(place), () => fetchMain(place), () => fetchMain(place)];
      const tidy = async (): Promise<void> => {
        const [mirror = ""] = place.mirrors.folders();
        if (mirror !== "") await place.mirrors.tidy(mirror, () => Promise.resolve([]));
      };
      await Promise.all(draws.shuffle([...driving, ...others, tidy]).map((act) => act()));
      if (draws.below(2) > 0 || round === 0) {
        await crash(place, draws);
        crashes++;
      }
    }
    const { remote, drives, theirs } = place;
    expect(crashes).toBeGreaterThan(0);
    expect(gitNow(remote, "rev-list", "--first-parent", "--reverse", "main").split("\n")).toEqual(theirs);
    for (const { run, commits } of drives) {
      const onBranch = gitNow(remote, "rev-list", "--reverse", `main..isdlc/${run}`).split("\n");
      expect(onBranch).toEqual(commits);
      expect(commits).toHaveLength(ROUNDS);
    }
    const { folder: mirror } = await place.mirrors.open(remote);
    expect(gitNow(mirror, "fsck", "--no-dangling")).toBe("");
  },
);
