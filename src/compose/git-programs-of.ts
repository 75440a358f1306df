import { startedPrograms } from "../adapters/git/read/started-programs.ts";
import { shellWord } from "../core/shell-word.ts";
import type { GitPrograms } from "../ports/git-programs.ts";
import { digestMemory } from "./digest-memory.ts";
import type { Place } from "./place.ts";

/** What git would start in the working tree of a run, against when the run began. */
export function gitProgramsOf(place: Place, run: string): GitPrograms {
  const memory = digestMemory(place, run, "programs");
  return {
    async remember() {
      if (memory.read() === null) memory.write(await startedPrograms(place.root));
    },
    async added() {
      const before = memory.read();
      if (before === null) return [];
      const now = await startedPrograms(place.root);
      const names = Object.keys(now).filter((name) => before[name] !== now[name]);
      return names.sort().map((name) => `${name} would run at your next git command; remove it: ${removal(name)}`);
    },
  };
}

/** `git config --file .git/config --unset-all core.fsmonitor`, or `rm .git/hooks/pre-commit`. */
function removal(name: string): string {
  const [, file = name, key] = /^(.*?\/config(?:\.worktree)?): (.*)$/.exec(name) ?? [];
  return key === undefined
    ? `rm ${shellWord(file)}`
    : `git config --file ${shellWord(file)} --unset-all ${shellWord(key)}`;
}

/** For a run without git. */
export const noGitPrograms: GitPrograms = { remember: () => Promise.resolve(), added: () => Promise.resolve([]) };
