import { checkBySchema } from "../../src/adapters/journal/schema-check.ts";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { nodeFiles, type FileSystem } from "../../src/adapters/files/file-system.ts";
import type { LockProcesses } from "../../src/adapters/journal/lock-files.ts";
import { createFileJournal, type FileJournal } from "../../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { sealWith } from "../../src/adapters/files/user-key.ts";
import { decide } from "../../src/core/decide/decide.ts";
import type { Decide } from "../../src/ports/journal.ts";
import { begin, mark, RUN } from "./sample-commands.ts";
import type { Clock } from "../../src/ports/processes.ts";

export const SEAL = sealWith(Buffer.alloc(32, 7));

export const stillClock: Clock = { now: () => "2026-11-15T10:15:00.000Z" };

/** Calls that return immediately, for tests of a fault's result where durability does not matter. */
export const hastyFiles: FileSystem = { ...nodeFiles, fdatasyncSync: () => {}, fsyncSync: () => {} };

export type Tree = { readonly root: string; readonly user: string; readonly journal: string };

/** In memory if possible: files are rewritten thousands of times. */
export const scratchFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** An empty working tree and user directory, removed after the test. */
export function newTree(folder = scratchFolder): Tree {
  const base = mkdtempSync(join(folder, "isdlc-journal-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return treeIn(base);
}

export function treeIn(base: string): Tree {
  const tree = { root: join(base, "tree"), user: join(base, "user"), journal: join(base, "tree", ".isdlc", "journal") };
  mkdirSync(tree.root, { recursive: true });
  return tree;
}

export type OpenOptions = {
  readonly files?: FileSystem;
  readonly processes?: LockProcesses;
  readonly version?: string;
  readonly decide?: Decide;
};

export function openTreeJournal(tree: Tree, options: OpenOptions = {}): FileJournal {
  const files = options.files ?? nodeFiles;
  const anchors = createFileAnchors(tree.user, tree.root, files);
  return createFileJournal({
    directory: tree.journal,
    anchors,
    seal: SEAL,
    decide,
    check: checkBySchema,
    clock: stillClock,
    version: "1",
    ...options,
  });
}

/** A tree with a run and the given number of marks. */
export async function treeWithRun(marks: number, files: FileSystem = hastyFiles): Promise<Tree> {
  const tree = newTree();
  const journal = openTreeJournal(tree, { files });
  await journal.create(RUN, begin(RUN));
  for (let number = 1; number <= marks; number++) await journal.submit(RUN, mark(`m${number}`));
  journal.close();
  return tree;
}

/** All paths in a folder, sorted, with `/`. */
export function namesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

let count = 0;

/** Processes that live and exit as the test specifies. */
export function createFakeProcesses(): { processes: LockProcesses; die(): void } {
  const pid = 5_000_000 + ++count; // Higher than any real process id.
  living.add(pid);
  return {
    processes: {
      self: () => ({ pid, started: "1", boot: "boot" }),
      isAlive: (driver) => living.has(driver.pid),
    },
    die: () => void living.delete(pid),
  };
}

const living = new Set<number>();
