import type { GitResult } from "../../../src/adapters/git/process/run-git.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { isRunId, type RunId } from "../../../src/schema/ids.ts";
import { refsBelow } from "./ref-files.ts";

/** Returns the ended ones of these runs. Unknown runs do not count as ended. */
export type EndedAmong = (runs: readonly RunId[]) => Promise<readonly RunId[]>;

export type TidyContext = {
  readonly folder: string;
  readonly git: (args: readonly string[], more?: { readonly input: Buffer }) => Promise<GitResult>;
};

const SNAPSHOTS = "refs/isdlc/";

/**
 * Runs in the foreground to block other use of the mirror, with git's default thresholds for objects and packs.
 * Objects fetched within the last day stay, even if unreferenced.
 */
const COLLECTING = ["gc.auto=6700", "gc.autoPackLimit=50", "gc.autoDetach=false", "gc.pruneExpire=1.day.ago"];

/** Deletes the snapshot refs of ended runs, which the remote keeps, and lets git collect unreferenced objects. */
export async function tidyMirror({ folder, git }: TidyContext, endedAmong: EndedAmong): Promise<void> {
  const refs = [...refsBelow(folder, SNAPSHOTS)];
  const runOf = (name: string): string => name.split("/")[0] ?? "";
  const runs = [...new Set(refs.map(([name]) => runOf(name)))].filter(isRunId);
  const ended = new Set<string>(runs.length === 0 ? [] : await endedAmong(runs));
  const forgotten = refs.filter(([name]) => ended.has(runOf(name)));
  if (forgotten.length > 0) {
    const input = Buffer.from(forgotten.map(([name, id]) => `delete ${SNAPSHOTS}${name}\0${id}\0`).join(""));
    await must(git(["update-ref", "-z", "--stdin"], { input }), "update-ref");
  }
  await must(git([...COLLECTING.flatMap((setting) => ["-c", setting]), "gc", "--auto", "--quiet"]), "gc");
}
