import { ownValue } from "../../core/own-value.ts";
import { EventDraft } from "../../schema/event.ts";
import { type EventCheck, FORMAT } from "./record.ts";

const KNOWN_TYPES = EventDraft._zod.propValues["type"] ?? new Set();

/** Checks every event against the schema, whatever its seal. */
export const checkBySchema: EventCheck = (draft, format) => {
  const type = ownValue(draft, "type");
  if (typeof type !== "string") return { is: "unreadable", detail: "an event has no type" };
  if (!KNOWN_TYPES.has(type)) return { is: "newer", type };
  if (format !== FORMAT) return { is: "newer", type: `format ${String(format)}` };
  const parsed = EventDraft.safeParse(draft);
  return parsed.success
    ? { is: "event", draft: parsed.data }
    : { is: "unreadable", detail: `"${type}" has another form than it should` };
};
