import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import type { LeftTree } from "../../src/schema/api-team.ts";
import type { RunId } from "../../src/schema/ids.ts";
import { createHandOver } from "../../team/src/worker/hand-over.ts";
import { createMirrors, type Mirror } from "../../team/src/worker/mirror.ts";
import { openRunTree } from "../../team/src/worker/run-tree.ts";
import { createSpareTrees } from "../../team/src/worker/spare-trees.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const run = "20261116-101112345-abcd" as RunId;
const FILES = 150;
/** Objects per drive: a file, its parent folders and a commit, twice, and facts for git about known objects. */
const FEW = 12;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "isdlc-hand-over-"))));
afterEach(() => removeTemporary(folder));

const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" });

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: env(), encoding: "utf8" }).trim();

/** A bare repository with one branch of that many files. */
function newRemote(): string {
  const made = join(folder, "made");
  mkdirSync(join(made, "src"), { recursive: true });
  for (let number = 0; number < FILES; number++) writeFileSync(join(made, "src", `${number}.txt`), `${number}\n`);
  git(made, "init", "--quiet", "--initial-branch=main");
  git(made, "add", "--all");
  git(made, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=First");
  git(folder, "clone", "--quiet", "--bare", made, "remote.git");
  const remote = join(folder, "remote.git");
  git(remote, "config", "receive.unpackLimit", "1");
  git(remote, "config", "gc.auto", "0");
  return remote;
}

/** Number of objects sent to a repository, including known ones: each transfer is stored as a pack. */
const sentTo = (repository: string): number =>
  Number(/^in-pack: (\d+)$/m.exec(git(repository, "count-objects", "-v"))?.[1]);

type Drive = { readonly mirror: Mirror; readonly epoch: number; readonly left: LeftTree | null };

/** A drive that changes a file before each of two records. Returns the tree left each time. */
async function driveOnce({ mirror, epoch, left }: Drive): Promise<readonly [LeftTree | null, LeftTree | null]> {
  const standing = { base: "main", baseTip: mirror.tip("main") ?? "", left };
  const wanted = { data: folder, env: env(), run, epoch, standing, author: "isdlc for ada", knows: () => true };
  const spares = createSpareTrees(folder);
  const tree = await openRunTree(mirror, { ...wanted, spares });
  const workspace = createGitWorkspace(tree.root, { run, env: env() });
  const wait = { signal: new AbortController().signal, note: () => undefined };
  const handOver = createHandOver({ mirror, tree, run, item: "item", branch: "main", workspace, wait });
  const change = (text: string): Promise<LeftTree | null> => {
    writeFileSync(join(tree.root, "src", "1.txt"), `${text} ${epoch}\n`);
    return handOver.push([]);
  };
  const done = [await change("first"), await change("second")] as const;
  expect(await handOver.push([])).toBeNull();
  return done;
}

test("pushes and fetches only changes, regardless of the size of the repository", async () => {
  const remote = newRemote();
  const mirror = await createMirrors({ data: folder, env: env() }).open(remote);
  git(mirror.folder, "config", "fetch.unpackLimit", "1");
  await mirror.fetch(run);
  const whole = sentTo(mirror.folder);
  expect(whole).toBeGreaterThan(FILES);
  let left: LeftTree | null = null;
  for (const epoch of [1, 2]) {
    const [first, second]: readonly [LeftTree | null, LeftTree | null] = await driveOnce({ mirror, epoch, left });
    for (const { snapshot: id = "" } of [first ?? {}, second ?? {}]) {
      expect(git(remote, "rev-parse", `refs/isdlc/${run}/${id}`)).toBe(id);
      expect(git(remote, "ls-tree", "-r", "--name-only", id).split("\n")).toHaveLength(FILES);
    }
    expect(git(remote, "show", `${second?.snapshot}:src/1.txt`)).toBe(`second ${epoch}`);
    await mirror.fetch(run);
    for (const sent of [sentTo(remote), sentTo(mirror.folder) - whole]) {
      expect(sent).toBeGreaterThan(0);
      expect(sent).toBeLessThanOrEqual(FEW * epoch);
    }
    left = second;
  }
});
