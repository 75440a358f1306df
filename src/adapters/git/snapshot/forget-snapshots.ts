import type { RunId } from "../../../schema/ids.ts";
import { hardenedGit } from "../process/git.ts";
import { refPart } from "./ref-name.ts";
import type { Repository } from "../read/repository.ts";

/** Deletes the snapshots of a run, except those to keep. If git refuses, they stay. */
export async function forgetSnapshots(
  repository: Repository,
  run: RunId,
  isKept: (name: string) => boolean,
): Promise<void> {
  const git = hardenedGit(repository.top, repository.env);
  const folder = `refs/isdlc/${refPart(run)}/`;
  const listed = await git(["for-each-ref", "--format=%(refname)", folder]);
  const refs = listed.stdout
    .toString("utf8")
    .split("\n")
    .filter((ref) => ref.startsWith(folder) && !isKept(ref.slice(folder.length)));
  if (refs.length === 0) return;
  await git(["update-ref", "--stdin"], { input: Buffer.from(refs.map((ref) => `delete ${ref}\n`).join("")) });
}
