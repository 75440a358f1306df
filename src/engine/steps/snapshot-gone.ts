import { ProblemError } from "../../core/problem.ts";

/** What cannot be compared must not pass for unchanged. */
export const snapshotGone = (what: string): ProblemError =>
  new ProblemError({ code: "GIT_FAILED", command: "diff", detail: `the snapshot from before ${what} is gone` });
