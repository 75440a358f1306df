import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createGitWorkspace } from "../src/adapters/git/git-workspace.ts";
import type { Workspace } from "../src/ports/workspace.ts";
import type { Settings } from "./benches.ts";
import { manyFiles } from "./big-repository.ts";
import { gateIn, waitingLines } from "./gate.ts";
import { type BenchRepository, sourcePath } from "./git-place.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import { averagedRatios, type ReportLine, milliseconds } from "./report.ts";

type Size = { readonly files: number; readonly blobs: number };

/** Bytes of random content in each commit of the history, to prevent compression. */
const BLOB_BYTES = 1024 * 1024;
const FULL: Size = { files: 100_000, blobs: 2_000 };
const SMALL: Size = { files: 10_000, blobs: 20 };
const READINGS = 30;
const CHANGED_FILES_IN_PHASE = 20;
const MOST_WAIT = 1_000; // milliseconds

/** Measures scanning a large working tree, compared to `git status`. */
export async function measureLargeRepository({
  root,
  scratch,
  quick,
  large,
}: Settings): Promise<readonly ReportLine[]> {
  const { files, blobs } = large ? FULL : SMALL;
  const repository = manyFiles(scratch, "large", { files, changed: 10 });
  await addHistory(repository, blobs);
  const { tree, env, git, write } = repository;
  git("status", "--porcelain"); // refreshes the index, like a user's first command
  const fresh = (): Workspace => createGitWorkspace(tree, { run: "bench", env });
  const following = fresh();
  await following.now([]);
  const rounds = quick ? 3 : 10;
  const status = () => timedWithChildren(() => git("status", "--porcelain"));
  const first = () => timedWithChildren(() => fresh().now([]));
  const unchanged = await interleave(rounds, { status, first, next: () => timedWithChildren(() => following.now([])) });
  let round = 0;
  const changed = await interleave(rounds, {
    status,
    first,
    next: () => {
      round++;
      for (let number = 0; number < CHANGED_FILES_IN_PHASE; number++) write(sourcePath(number * 7), `round ${round}\n`);
      return timedWithChildren(() => following.now([]));
    },
  });
  const growth = await growthOver(READINGS, following);
  const { gate } = await gateIn(root, repository);
  const gates = await interleave(quick ? 3 : 10, { gate });
  const place = `${files} files, ${(blobs * BLOB_BYTES) / 1024 / 1024} MB of history`;
  const base = `git status, min ${milliseconds(least(unchanged.status.wall))}`;
  const then = `git status then, min ${milliseconds(least(changed.status.wall))}`;
  return [
    {
      what: `first snapshot of ${place}`,
      base,
      figures: averagedRatios({ of: unchanged.first, to: unchanged.status }),
      goal: 1.5,
      unit: "x",
    },
    {
      what: "each later snapshot, no change",
      base,
      figures: averagedRatios({ of: unchanged.next, to: unchanged.status }),
      goal: 0.3,
      unit: "x",
    },
    {
      what: `a first snapshot after ${CHANGED_FILES_IN_PHASE} files changed`,
      base: then,
      figures: averagedRatios({ of: changed.first, to: changed.status }),
      goal: null,
      unit: "x",
    },
    {
      what: `a later snapshot after ${CHANGED_FILES_IN_PHASE} files changed`,
      base: then,
      figures: averagedRatios({ of: changed.next, to: changed.status }),
      goal: null,
      unit: "x",
    },
    ...waitingLines("a gate there, after the checks", gates.gate, MOST_WAIT),
    {
      what: `memory after ${READINGS} looks`,
      base: "before them",
      figures: [{ name: "RSS", value: growth }],
      goal: 1.2,
      unit: "x",
    },
  ];
}

/** Adds commits on another branch, to keep the files unchanged. */
async function addHistory({ tree, env }: BenchRepository, blobs: number): Promise<void> {
  const child = spawn("git", ["fast-import", "--quiet"], { cwd: tree, env, stdio: ["pipe", "ignore", "inherit"] });
  const ended = once(child, "close");
  for (let number = 0; number < blobs; number++) {
    const head = `commit refs/heads/history\ncommitter Bench <bench@example.org> ${1_600_000_000 + number} +0000\ndata 6\nChange\n`;
    const bytes = randomBytes(BLOB_BYTES);
    const chunk = Buffer.concat([
      Buffer.from(`${head}M 100644 inline blob\ndata ${bytes.length}\n`),
      bytes,
      Buffer.from("\n"),
    ]);
    if (!child.stdin.write(chunk)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  await ended;
}

async function growthOver(looks: number, workspace: Workspace): Promise<number> {
  await workspace.now([]);
  const before = residentBytes();
  for (let look = 0; look < looks; look++) await workspace.now([]);
  return residentBytes() / before;
}

const residentBytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
