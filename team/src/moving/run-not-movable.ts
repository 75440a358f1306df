import { ProblemError } from "../../../src/core/problem.ts";

export const runNotMovable = (why: string, fix: string): ProblemError =>
  new ProblemError({ code: "RUN_NOT_MOVABLE", why, fix });
