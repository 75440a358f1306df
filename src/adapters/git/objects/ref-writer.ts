import type { Conversation } from "../process/git-conversation.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../snapshot/ref-name.ts";

/**
 * Points a ref to an object. With `from`, the ref must still point there.
 * @throws ProblemError GIT_FAILED if the object is missing, or the ref points to something else.
 */
export type RefWriter = (ref: string, id: string, from?: string) => Promise<void>;

/**
 * Creates a writer that uses one `git update-ref --stdin`. Each update is a transaction: nothing stays locked in
 * between.
 */
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
