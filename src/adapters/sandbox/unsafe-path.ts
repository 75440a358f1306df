import { ProblemError } from "../../core/problem.ts";

export const unsafePath = (path: string, detail: string): ProblemError =>
  new ProblemError({ code: "UNSAFE_PATH", path, detail: `${detail}, which a sandbox cannot protect` });
