import type { Git } from "../git/process/git.ts";
import { readNotes, notesRefs } from "../attestation/git-notes.ts";
import { readEnvelope } from "../attestation/dsse.ts";

/** A larger change is named, and not put into the archive. */
const MAX_DIFF = 4 * 1024 * 1024; // bytes

/** The change that a commit makes, as a patch. */
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

/** Envelopes noted for the commits that are about a run. */
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
