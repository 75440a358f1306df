import { ProblemError } from "../../core/problem.ts";

/** Fails the step, because a missing snapshot could hide changes. */
export const snapshotGone = (what: string): ProblemError =>
  new ProblemError({ code: "GIT_FAILED", command: "diff", detail: `the snapshot from before ${what} is gone` });
