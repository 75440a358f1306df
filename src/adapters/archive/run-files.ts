import type { Git } from "../git/process/git.ts";
import { readNotes, notesRefs } from "../attestation/git-notes.ts";
import { readEnvelope } from "../attestation/dsse.ts";

/** A larger patch is replaced with the git command that shows it. */
const MAX_DIFF = 4 * 1024 * 1024; // bytes

/** Returns the patch of a commit against its first parent. */
export async function readPatch(git: Git, commit: string): Promise<string> {
  const args = [
    "diff-tree",
    "--patch",
    "--root",
    "-m",
    "--first-parent",
    "--no-commit-id",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
  ];
  const answer = await git([...args, commit], { whenTooLong: "cut" });
  if (answer.stdout.length > MAX_DIFF) return `Too large to be put here (git show ${commit}).\n`;
  return answer.stdout.toString("utf8");
}

/** Returns the envelopes in the notes of these commits that belong to the run. */
export async function statementsAbout(
  git: Git,
  { commits, run }: { commits: readonly string[]; run: string },
): Promise<string[]> {
  const noted = await readNotes(git, { refs: await notesRefs(git), objects: new Set(commits) });
  return [...new Set([...noted.values()].flat())].filter((line) => {
    const reading = readEnvelope(line);
    return reading.is === "envelope" && reading.envelope.payload.includes(`"run":"${run}"`);
  });
}
