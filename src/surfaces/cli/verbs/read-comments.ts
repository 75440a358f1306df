import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import type { RunEvent } from "../../../schema/event.ts";
import { CommentPlace, ReviewComment } from "../../../schema/comments.ts";
import * as z from "zod/mini";
import { type Invocation, text } from "../invocation/verb.ts";

/** A comment in a file. Only the text is required. Without an id, it gets the next free one. */
const GivenComment = z.strictObject({
  id: z.optional(ReviewComment.shape.id),
  place: z._default(
    z.nullable(
      z.extend(z.omit(CommentPlace, { side: true, quote: true }), {
        side: z._default(CommentPlace.shape.side, "new"),
        quote: z._default(CommentPlace.shape.quote, ""),
      }),
    ),
    null,
  ),
  text: ReviewComment.shape.text,
  suggestion: z._default(ReviewComment.shape.suggestion, null),
});

const MAX_COMMENTS = 200;

/**
 * Reads the comments of `--comments <file|->`, a JSON list. @throws ProblemError USAGE for anything else, and for an
 * id that occurs twice
 */
export function readComments({ values, verb, cwd }: Invocation, events: readonly RunEvent[]): ReviewComment[] {
  const from = text(values, "comments");
  if (from === undefined) return [];
  const wrong = (detail: string): ProblemError => new ProblemError({ code: "USAGE", detail, usage: verb.usage });
  const parsed = z.safeParse(z.array(GivenComment).check(z.maxLength(MAX_COMMENTS)), readJson(from, cwd));
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
    throw wrong(
      `--comments takes a JSON list like [{"text":"…","place":{"path":"src/a.ts","line":3}}]. ${path.join(".")}: ${message}`,
    );
  }
  const given = parsed.data.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (new Set(given).size < given.length) throw wrong("--comments has the same id twice.");
  let last = Math.max(0, ...[...usedIds(events), ...given].map((id) => Number(id.slice(1))));
  return parsed.data.map((comment) => ({ ...comment, id: comment.id ?? `C${++last}` }));
}

function readJson(from: string, cwd: string): unknown {
  try {
    return JSON.parse(readFileSync(from === "-" ? 0 : resolve(cwd, from), "utf8"));
  } catch (error) {
    throw new ProblemError({
      code: "USAGE",
      detail: `Could not read the comments in ${from}: ${error instanceof Error ? error.message : ""}`,
      usage: "isdlc redo --comments <file|->",
    });
  }
}

const usedIds = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === "gate.answered" || event.type === "run.wentBack" ? (event.comments ?? []).map(({ id }) => id) : [],
  );
