import { join } from "node:path";
import { gitFolders } from "../adapters/git/read/git-head.ts";
import { startedPrograms } from "../adapters/git/read/started-programs.ts";
import type { Project } from "../app/project/project.ts";
import { shellWord } from "../core/shell-word.ts";
import type { GitPrograms } from "../ports/git-programs.ts";
import { digestMemory } from "./digest-memory.ts";
import type { Place } from "./place.ts";

/** What git would start in the working tree of a run, against when the run began. */
export function gitProgramsOf(place: Place & Pick<Project, "gitTrust">, run: string): GitPrograms {
  const memory = digestMemory(place, run, "programs");
  return {
    async remember() {
      if (memory.read() === null) memory.write(await startedPrograms(place.root, place.env));
    },
    async added() {
      const before = memory.read();
      if (before === null) return [];
      const now = await startedPrograms(place.root, place.env);
      const names = Object.keys(now).filter((name) => before[name] !== now[name]);
      return names
        .sort()
        .map((name) => `${name} would run at your next git command; remove it: ${removal(name, place.root)}`);
    },
    async leftOut() {
      const found = await place.gitTrust.untrusted();
      return found.map(({ name }) => `${name} is not run when isdlc commits; to have it run: isdlc trust`);
    },
  };
}

/** `git config --file .git/config --unset-all core.fsmonitor`, or `rm .git/hooks/pre-commit`. */
function removal(name: string, root: string): string {
  const [, said = name, key] = /^(.*?): (.*)$/s.exec(name) ?? [];
  const file = placeOf(said, root);
  return key === undefined
    ? `rm ${shellWord(file)}`
    : `git config --file ${shellWord(file)} --unset-all ${shellWord(key)}`;
}

/** A linked working tree has its git folder elsewhere. */
function placeOf(name: string, root: string): string {
  const folders = name.startsWith(".git/") ? gitFolders(root) : null;
  if (folders === null || folders.own === folders.common) return name;
  const below = name.slice(".git/".length);
  return join(below === "config.worktree" ? folders.own : folders.common, below);
}

/** For a run without git. */
export const noGitPrograms: GitPrograms = {
  remember: () => Promise.resolve(),
  added: () => Promise.resolve([]),
  leftOut: () => Promise.resolve([]),
};
