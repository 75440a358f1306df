import { createHash } from "node:crypto";
import type { GitCaller } from "../adapters/git/read/personal-git.ts";
import { programsOfChanges, type StartedProgram, startedPrograms } from "../adapters/git/read/started-programs.ts";
import type { SettingsStore, TrustStore } from "../ports/user-settings.ts";
import type { GitProgram, TrustedGitPrograms, GitPrograms } from "../ports/vcs.ts";
import { relative } from "node:path";
import { objectLenders } from "../adapters/git/read/object-lenders.ts";
import type { Project } from "../app/project/project.ts";
import { OWN, ownPath } from "../core/own-folder.ts";
import { digestMemory } from "./digest-memory.ts";
import type { ProjectLocation } from "./project-location.ts";
import { shellWord } from "../core/command-line.ts";

type TrustContext = {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly trust: Pick<TrustStore, "trust" | "trusts">;
  readonly settings: Pick<SettingsStore, "readNow">;
};

/** Lists the repository's hooks and settings that the user has not trusted yet, and records new trust. */
export function trustedGitPrograms(project: TrustContext): TrustedGitPrograms {
  return {
    async untrusted() {
      const { env, allows } = createGitCaller(project);
      return (await programsOfChanges(project.root, env)).filter((program) => !allows(program));
    },
    trust(programs) {
      for (const program of programs) project.trust.trust(digestProgram(program));
    },
  };
}

/** Creates the git caller. It checks each program again, because a user may trust one during a run. */
export function createGitCaller(project: Pick<TrustContext, "env" | "trust" | "settings">): GitCaller {
  return {
    env: project.env,
    allows: (program) => project.trust.trusts(digestProgram(program)),
    get variables() {
      return project.settings.readNow().settings["git-variables"];
    },
  };
}

const digestProgram = ({ name, digest }: GitProgram): string =>
  createHash("sha256").update(`git program\0${name}\0${digest}`).digest("hex");

/**
 * Finds programs that git would start in the working tree of a run, and borrowed object folders, added since the start
 * of the run.
 */
export function createGitPrograms(place: ProjectLocation & Pick<Project, "gitTrust">, run: string): GitPrograms {
  const { root, env } = place;
  const memory = digestMemory(place, run, "programs");
  const started = (): Promise<readonly StartedProgram[]> => startedPrograms(root, env, [ownPath(OWN.work, run)]);
  return {
    async remember() {
      if (memory.read() !== null) return;
      const found = [...(await started()), ...objectLenders(root)];
      memory.write(Object.fromEntries(found.map(({ name, digest }) => [name, digest])));
    },
    async added() {
      const before = memory.read();
      if (before === null) return [];
      const isNew = ({ name, digest }: StartedProgram): boolean => before[name] !== digest;
      const added = (await started()).filter(isNew).map((program) => startedLine(program, root));
      const lent = objectLenders(root)
        .filter(isNew)
        .map((lender) => lentLine(lender, root));
      return [...added, ...lent].sort();
    },
    async leftOut() {
      const found = await place.gitTrust.untrusted();
      return found.map(({ name }) =>
        isKeyChoice(name)
          ? `${name} is not used when isdlc commits; to have it used: isdlc trust`
          : `${name} is not run when isdlc commits; to have it run: isdlc trust`,
      );
    },
  };
}

const startedLine = (program: StartedProgram, root: string): string =>
  isKeyChoice(program.name)
    ? `${program.name} would choose the key of your next signature; remove it: ${removal(program, root)}`
    : `${program.name} would run at your next git command; remove it: ${removal(program, root)}`;

const isKeyChoice = (name: string): boolean => / (?:user\.signingkey|gpg\.format)$/.test(name);

/** Copies borrowed objects first (`git repack`), because later commits may need them. */
const lentLine = (lender: StartedProgram, root: string): string =>
  `${lender.name} has git take objects from another folder; remove it: git repack -a -d && ${removal(lender, root)}`;

/** `git config --file .git/config --unset-all core.fsmonitor`, or `rm .git/hooks/pre-commit`. */
function removal({ file, key }: StartedProgram, root: string): string {
  const below = relative(root, file);
  const shown = shellWord(below.startsWith("..") ? file : below); // the git folder of a linked working tree is elsewhere
  return key === null ? `rm ${shown}` : `git config --file ${shown} --unset-all ${shellWord(key)}`;
}

/** Used by runs without git. */
export const noGitPrograms: GitPrograms = {
  remember: () => Promise.resolve(),
  added: () => Promise.resolve([]),
  leftOut: () => Promise.resolve([]),
};
