import type { GitProgram, TrustedGitPrograms } from "../../ports/git-programs.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { Choices } from "./choices.ts";

/**
 * Lists untrusted repository commands that git would start at commits and merges. They are trusted when the run opens.
 */
export async function planHooks(choices: Choices, trust: TrustedGitPrograms): Promise<readonly GitProgram[]> {
  const found = await trust.untrusted();
  if (found.length === 0) return [];
  const about = aboutHooks(found);
  const instead = "To work without running them: --hooks without.";
  const choice = { id: "hooks", kind: "trust", options: ["trust", "without"], about, instead } as const;
  return choices.resolve(choice, "trust") === "trust" ? found : [];
}

export const aboutHooks = (found: readonly GitProgram[]): string[] => [
  "Commits and merges here would start programs that this repository names, and that an agent could have written:",
  ...found.map(({ name }) => `  ${plainLine(name)}`),
  "They run with your rights, outside of every sandbox, and so does what they call in the project.",
  "You are asked once, and again when one of them changes.",
];
