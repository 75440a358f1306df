import { withBringers } from "../../core/brought-answers.ts";
import type { Story, StoryEntry } from "../../schema/api-story.ts";
import type { RunEvent } from "../../schema/event.ts";
import { sentence } from "../history.ts";
import { tokens } from "../token-text.ts";

/** Maximum number of events per response. A longer story is read in parts. */
export const STORY_PART = 500;

/** Describes events as sentences, starting with event number `from`. */
export function buildStory(events: readonly RunEvent[], from: number): Story {
  let phase: string | null = null;
  const entries: StoryEntry[] = [];
  for (const event of withBringers(events)) {
    if (event.type === "attempt.started") phase = event.phase;
    if (event.seq < from) continue;
    if (entries.length === STORY_PART) return { entries, next: event.seq };
    entries.push({ seq: event.seq, at: event.at, type: event.type, phase, text: told(event), by: findActor(event) });
  }
  return { entries, next: null };
}

/** Omits the phase, which is displayed above, and adds usage. */
function told(event: RunEvent): string {
  if (event.type === "attempt.started")
    return `attempt ${event.attempt} begins${event.brief.why === "first" ? "" : ` (${event.brief.why})`}`;
  if (event.type === "execution.started")
    return `${event.role === "reviewer" ? "reviewer" : "agent"} starts: ${event.claim.execution}`;
  if (event.type === "execution.ended" && event.usage !== null)
    return [sentence(event), tokens(event.usage)].filter((part) => part !== "").join(", ");
  return sentence(event);
}

function findActor(event: RunEvent): StoryEntry["by"] {
  if (!("by" in event) || typeof event.by === "string") return null;
  const { name, channel } = event.by;
  return { name, channel, suspicious: "suspicious" in event.by ? (event.by.suspicious ?? null) : null };
}
