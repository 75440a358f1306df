import type { GateView } from "../../schema/api.ts";
import type { CommentReply } from "../../schema/comments.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { RunEvent } from "../../schema/event.ts";

type Earlier = GateView["earlier"][number];

/** Lists earlier requests to redo a phase or to return to it, newest first: each comment with the agent's reply. */
export function earlierRedos(events: readonly RunEvent[], key: PhaseKey): Earlier[] {
  let phase = "";
  const found: Earlier[] = [];
  for (const event of events) {
    if (event.type === "attempt.started") phase = event.phase;
    if (isAsking(event, { phase, key })) found.push(asked(event));
    const last = found.at(-1);
    if (event.type === "draft.produced" && phase === key && last !== undefined)
      found[found.length - 1] = replied(last, event.replies ?? []);
  }
  return found.toReversed();
}

function isAsking(event: RunEvent, at: { phase: PhaseKey; key: PhaseKey }): event is RedoEvent {
  if (event.type === "run.wentBack") return event.to === at.key;
  return event.type === "gate.answered" && event.choice === "redo" && at.phase === at.key;
}

/** Events with comments by a user. */
type RedoEvent = Extract<RunEvent, { type: "gate.answered" | "run.wentBack" }>;

function asked({ at, by, guidance = null, comments = [] }: RedoEvent): Earlier {
  return { at, by: by.name, guidance, comments: comments.map((comment) => ({ comment, reply: null })) };
}

/** Keeps the latest reply: after a failed check, the agent may reply again. */
const replied = (earlier: Earlier, replies: readonly CommentReply[]): Earlier => ({
  ...earlier,
  comments: earlier.comments.map(({ comment, reply }) => ({
    comment,
    reply: replies.find(({ id }) => id === comment.id) ?? reply,
  })),
});
