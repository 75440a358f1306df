import { isEventType } from "../../core/evolve.ts";
import { ownValue } from "../../core/own-value.ts";
import type { EventDraft } from "../../schema/event.ts";
import { FORMAT } from "./record.ts";

export type CheckedDraft =
  | { readonly is: "event"; readonly draft: EventDraft }
  | { readonly is: "unreadable"; readonly detail: string }
  | { readonly is: "newer"; readonly type: string };

/** Judges one event of a record whose seal is right; `format` is what the record says about itself. */
export type EventCheck = (draft: unknown, format: unknown) => CheckedDraft;

/**
 * Believes the seal: only this user's isdlc writes it. Saves setting up the schema, which takes a third of the time that
 * bare Node needs to start; verifying a journal does check every event against it.
 */
export const checkBySeal: EventCheck = (draft, format) => {
  const type = ownValue(draft, "type");
  if (typeof type !== "string") return { is: "unreadable", detail: "an event has no type" };
  if (!isEventType(type)) return { is: "newer", type };
  if (format !== FORMAT) return { is: "newer", type: `format ${String(format)}` };
  return { is: "event", draft: draft as EventDraft }; // sealed by the program that made it
};
