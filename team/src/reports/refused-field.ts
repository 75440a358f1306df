import { ProblemError } from "../../../src/core/problem.ts";

/** Creates the problem for a refused field of a worker's report. */
export function refusedField(field: string, why: string): ProblemError {
  const what = `The report of a worker was refused at "${field}": ${why}.`;
  const fix = "Run the worker in the server's version. If it is, look at the worker's machine.";
  return new ProblemError({ code: "NOT_ALLOWED", what, fix });
}
