import type { GitResult } from "../../../src/adapters/git/process/run-git.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { isRunId, type RunId } from "../../../src/schema/ids.ts";
import { refsBelow } from "./ref-files.ts";

/** Those among the runs that have ended. One that nobody knows has not. */
export type EndedAmong = (runs: readonly RunId[]) => Promise<readonly RunId[]>;

export type TidyContext = {
  readonly folder: string;
  readonly git: (args: readonly string[], more?: { readonly input: Buffer }) => Promise<GitResult>;
};

const SNAPSHOTS = "refs/isdlc/";

/**
 * In the foreground, so that nobody works with the mirror meanwhile; from as many objects and packs on as git itself would.
 * What a fetch brought within the last day stays, whatever names it.
 */
const COLLECTING = ["gc.auto=6700", "gc.autoPackLimit=50", "gc.autoDetach=false", "gc.pruneExpire=1.day.ago"];

/** Forgets the snapshots of ended runs, which the remote has, and has git collect what nothing names any more. */
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
