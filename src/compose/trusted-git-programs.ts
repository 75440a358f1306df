import { createHash } from "node:crypto";
import type { Allows } from "../adapters/git/process/personal-git.ts";
import { programsOfChanges } from "../adapters/git/read/started-programs.ts";
import type { GitProgram, TrustedGitPrograms } from "../ports/git-programs.ts";
import type { TrustStore } from "../ports/trust-store.ts";

/** What a person trusts of a repository's own hooks and settings, beside the test command and the overlay. */
export function trustedGitPrograms(root: string, trust: Pick<TrustStore, "trust" | "trusts">): TrustedGitPrograms {
  return {
    async untrusted() {
      const allows = allowsOf({ trust });
      return (await programsOfChanges(root)).filter((program) => !allows(program));
    },
    trust(programs) {
      for (const program of programs) trust.trust(digestOf(program));
    },
  };
}

/** Looks anew for each program: a person may agree while a run is going on. */
export const allowsOf =
  (project: { readonly trust: Pick<TrustStore, "trusts"> }): Allows =>
  (program) =>
    project.trust.trusts(digestOf(program));

const digestOf = ({ name, digest }: GitProgram): string =>
  createHash("sha256").update(`git program\0${name}\0${digest}`).digest("hex");
