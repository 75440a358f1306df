import { entries } from "./entries.ts";

/** Uncommitted files of a cancelled run. `kept`: git ref with a copy if they were removed from the working tree. */
type LeftInWorkingTree = { readonly paths: readonly string[]; readonly kept: string | null };

export function leftLines({ paths, kept }: LeftInWorkingTree): string[] {
  if (kept === null) return entries("Left in the working tree by the agent, uncommitted", paths);
  return [...entries("Taken out of the working tree", paths), `It is kept: git show ${kept}:<path>`];
}
