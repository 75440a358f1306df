import { createHash } from "node:crypto";
import type { GitCaller } from "../adapters/git/process/personal-git.ts";
import { programsOfChanges } from "../adapters/git/read/started-programs.ts";
import type { GitProgram, TrustedGitPrograms } from "../ports/git-programs.ts";
import type { TrustStore } from "../ports/trust-store.ts";
import type { SettingsStore } from "../ports/user-settings.ts";

type TrustContext = {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly trust: Pick<TrustStore, "trust" | "trusts">;
  readonly settings: Pick<SettingsStore, "read">;
};

/** Manages the repository's hooks and settings trusted by a user, in addition to the test command and the overlay. */
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
    variables: project.settings.read().settings["git-variables"],
  };
}

const digestProgram = ({ name, digest }: GitProgram): string =>
  createHash("sha256").update(`git program\0${name}\0${digest}`).digest("hex");
