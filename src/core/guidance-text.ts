import type { ReviewComment } from "../schema/comments.ts";
import type { Guidance } from "./command.ts";

const ASKS_FOR_REPLIES =
  'For each comment, put one entry into "replies" of your result: its id, "did" (applied, kept or answered) and in "text" what you did, or why you kept it as it is.';

/** What the agent is told: the words of the person, then each comment with its id and the line it is about. */
export function guidanceText({ guidance = "", comments = [] }: Partial<Guidance>): string {
  if (comments.length === 0) return guidance;
  const parts = [guidance.trim(), ...comments.map(commentText), ASKS_FOR_REPLIES];
  return parts.filter((part) => part !== "").join("\n\n");
}

function commentText({ id, place, text, suggestion }: ReviewComment): string {
  const where =
    place === null ? "" : ` ${place.path}:${place.line}${place.side === "old" ? " (as it was before)" : ""}`;
  return [
    `${id}${where}: ${text}`,
    ...(place === null || place.quote === "" ? [] : [quoted("The line", place.quote)]),
    ...(suggestion === null ? [] : [quoted("Suggested instead", suggestion)]),
  ].join("\n");
}

/** Marked line by line, so that it cannot pass for the guidance around it. */
const quoted = (title: string, text: string): string => `  ${title}:\n${text.replaceAll(/^/gm, "  > ")}`;
