import type { Conversation } from "../process/git-conversation.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../snapshot/ref-name.ts";

/**
 * Points a ref to an object: from where it is said to point, or else from wherever it does.
 * @throws ProblemError GIT_FAILED where the object is not there, or the ref points to something else.
 */
export type RefWriter = (ref: string, id: string, from?: string) => Promise<void>;

/** Through one `git update-ref --stdin`, a transaction for each: nothing is locked between them. */
export function createRefWriter(updateRef: Conversation): RefWriter {
  return async (ref, id, from) => {
    if (![id, from ?? id].every(isObjectId) || !/^(?:HEAD|refs\/[^\s\p{Cc}]+)$/u.test(ref))
      throw gitFailed("update-ref", `${JSON.stringify(ref)} cannot point to ${JSON.stringify(id)}`);
    const request = Buffer.from(
      `start\nupdate ${[ref, id, ...(from === undefined ? [] : [from])].join(" ")}\nprepare\ncommit\n`,
    );
    await updateRef.ask(request, async (answers) => {
      for (const step of ["start", "prepare", "commit"]) {
        const answer = await answers.line();
        if (answer !== `${step}: ok`)
          throw gitFailed("update-ref", `${step} was answered with ${JSON.stringify(answer)}`);
      }
    });
  };
}
