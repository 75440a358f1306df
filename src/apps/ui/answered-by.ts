import type { RunEvent } from "../../schema/event.ts";

/** Who answered a wait before somebody else could, and how; null where nobody did. */
export function answeredBy(events: readonly RunEvent[], wait: string | null): string | null {
  const event = events.findLast((one) => "wait" in one && one.wait === wait);
  if (event === undefined || !("by" in event) || typeof event.by === "string") return null;
  const what = event.type === "gate.answered" ? event.choice : event.type.split(".")[1];
  return `${event.by.name} (${event.by.channel}) answered it before you: ${what}.`;
}
