import { ProblemError } from "../../core/problem.ts";

const MAX_TITLE_LENGTH = 500; // characters

/**
 * Returns the title of a run: the request in one line.
 * @throws ProblemError USAGE.
 */
export function runTitle({ title, usage }: { readonly title: string; readonly usage: string }): string {
  const trimmed = title.replaceAll(/\s+/g, " ").trim();
  if (trimmed !== "" && trimmed.length <= MAX_TITLE_LENGTH) return trimmed;
  const detail =
    trimmed === "" ? "Say what is to be done." : `The title is longer than ${MAX_TITLE_LENGTH} characters.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}
