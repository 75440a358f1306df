import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../../src/core/problem.ts";
import type { GitResult } from "../../../src/adapters/git/process/run-git.ts";

export type FetchLimit = {
  /** Bare repository. */
  readonly folder: string;
  /** Maximum size of its packs after a fetch. */
  readonly maxBytes: number;
};

/** Runs git in a folder. Aborting the signal ends git and all programs that it started. */
type RunIn = (folder: string, args: readonly string[], signal?: AbortSignal) => Promise<GitResult>;

const CHECK_INTERVAL_MS = 50;

/**
 * Runs `git fetch` into a temporary repository, and adds its packs and refs to the repository if they fit: git itself
 * has no limit for fetches. A larger fetch is stopped and deleted. @throws ProblemError COPY_TOO_LARGE
 */
export async function fetchWithin(limit: FetchLimit, args: readonly string[], run: RunIn): Promise<GitResult> {
  const { folder } = limit;
  const incoming = createIncoming(folder);
  try {
    const fetched = await fetchIncoming(limit, incoming, (signal) => run(incoming, args, signal));
    if (fetched.status !== 0) return fetched;
    addPacks(join(incoming, "objects"), join(folder, "objects"));
    return await run(folder, fromIncoming(args, incoming));
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

async function fetchIncoming(
  { folder, maxBytes }: FetchLimit,
  incoming: string,
  fetch: (signal: AbortSignal) => Promise<GitResult>,
): Promise<GitResult> {
  const room = maxBytes - sizeOfPacks(folder);
  const stop = new AbortController();
  const isTooLarge = (): boolean => {
    const size = sizeOfPacks(incoming);
    return size > 0 && size > room;
  };
  const timer = setInterval(() => {
    if (isTooLarge()) stop.abort("the fetch is too large");
  }, CHECK_INTERVAL_MS);
  const tooLarge = new ProblemError({ code: "COPY_TOO_LARGE", maxBytes });
  try {
    const result = await fetch(stop.signal);
    if (isTooLarge()) throw tooLarge;
    return result;
  } catch (error) {
    throw stop.signal.aborted ? tooLarge : error;
  } finally {
    clearInterval(timer);
  }
}

/** Creates a bare repository that borrows the objects of the other one, and therefore fetches only missing objects. */
function createIncoming(folder: string): string {
  const incoming = join(folder, INCOMING, `${process.pid}-${randomUUID()}`);
  for (const name of ["objects/pack", "objects/info", "refs"])
    mkdirSync(join(incoming, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(incoming, "objects", "info", "alternates"), `${join(folder, "objects")}\n`);
  writeFileSync(join(incoming, "HEAD"), "ref: refs/heads/none\n");
  return incoming;
}

/** The same fetch from the temporary repository, which has the refs under their new names. */
function fromIncoming(args: readonly string[], incoming: string): readonly string[] {
  const remote = args.findIndex((arg, at) => at > 0 && !arg.startsWith("-"));
  const targets = args.slice(remote + 1).map((spec) => spec.slice(spec.indexOf(":") + 1));
  return [...args.slice(0, remote), incoming, ...targets.map((name) => `+${name}:${name}`)];
}

/** Folder for running fetches. */
const INCOMING = "incoming";
/** Longer than a fetch can take. */
const LEFT_AFTER_MS = 20 * 60_000;

/** Deletes what fetches of killed processes left. */
export function removeLeftFetches(folder: string): void {
  for (const name of namesIn(join(folder, INCOMING))) {
    const path = join(folder, INCOMING, name);
    const age = Date.now() - (statSync(join(path, "objects", "pack"), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > LEFT_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}

export const countPacks = (folder: string): number =>
  namesIn(join(folder, "objects", "pack")).filter((name) => name.endsWith(".pack")).length;

/** Git uses a pack as soon as it sees its index. */
function addPacks(from: string, to: string): void {
  const names = namesIn(join(from, "pack")).filter((name) => name.startsWith("pack-"));
  const indexesLast = names.toSorted((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")));
  mkdirSync(join(to, "pack"), { recursive: true });
  for (const name of indexesLast) renameSync(join(from, "pack", name), join(to, "pack", name));
}

function sizeOfPacks(folder: string): number {
  const packs = join(folder, "objects", "pack");
  return namesIn(packs)
    .map((name) => statSync(join(packs, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
