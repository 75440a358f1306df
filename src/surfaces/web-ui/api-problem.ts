import { describe, type Problem } from "../../core/problem.ts";
import type { ApiProblem } from "../../schema/api.ts";

export function apiProblem(problem: Problem): ApiProblem {
  const { what, fix } = describe(problem);
  return { code: problem.code, what, fix };
}
