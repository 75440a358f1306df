import { ProblemError } from "../../core/problem.ts";
import { type Git, must } from "../git/process/git.ts";
import { type GitCaller, personalGit } from "../git/read/personal-git.ts";
import { gitFailed, lastWords } from "../git/process/run-git.ts";
import { fetchedNotesRef, mergeNotes, NOTES_REF } from "./git-notes.ts";

const REMOTE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export type NotesRemote = { readonly cwd: string; readonly remote: string; readonly caller: GitCaller };

/** Makes `git fetch` fetch statements from now on. Returns false if it already does. */
export async function shareNotes(sharing: NotesRemote): Promise<boolean> {
  const { remote } = sharing;
  const git = await remoteGit(sharing);
  const refspec = `+${NOTES_REF}:${fetchedNotesRef(remote)}`;
  const known = (await git(["config", "--get-all", `remote.${remote}.fetch`])).stdout.toString("utf8").split("\n");
  if (known.includes(refspec)) return false;
  await must(git(["config", "--add", `remote.${remote}.fetch`, refspec]), "config");
  return true;
}

/**
 * Fetches the notes of others, merges them with ours, and pushes the result. A user requested it: the user's settings
 * apply, and those of the repository that the user approved.
 */
export async function pushNotes(history: Git, sharing: NotesRemote): Promise<void> {
  const { remote } = sharing;
  const git = await remoteGit(sharing);
  const listed = await must(git(["ls-remote", remote, NOTES_REF]), "ls-remote");
  if (listed.toString("utf8").trim() !== "") {
    const refspec = `+${NOTES_REF}:${fetchedNotesRef(remote)}`;
    await must(git(["fetch", "--quiet", "--no-tags", remote, refspec]), "fetch");
    await mergeNotes(history, fetchedNotesRef(remote));
  }
  const pushed = await git(["push", "--quiet", remote, NOTES_REF]);
  if (pushed.status !== 0) throw gitFailed("push", lastWords(pushed));
}

/** @throws ProblemError USAGE if there is no such remote */
export async function remoteGit({ cwd, remote, caller }: NotesRemote): Promise<Git> {
  const git = personalGit(cwd, caller);
  const known = REMOTE_NAME.test(remote) && (await git(["config", "--get", `remote.${remote}.url`])).status === 0;
  if (known) return git;
  const detail = `There is no remote ${JSON.stringify(remote)} here.`;
  throw new ProblemError({ code: "USAGE", detail, usage: "git remote add origin <url>, then the command again" });
}
