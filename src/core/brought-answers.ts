import type { RunEvent } from "../schema/event.ts";
import type { Person } from "../schema/people.ts";

/** Range of events recorded on a user's machine, and the account that brought them to a team. */
export type Brought = { readonly by: string; readonly from: number; readonly to: number };

/** Adds the account that brought an answer. The person who gave it stays. */
export function withBringer<T extends { readonly seq: number; readonly by: Person }>(answer: T, brought: Brought): T {
  const { seq, by } = answer;
  const isIn = seq >= brought.from && seq <= brought.to;
  return isIn ? { ...answer, by: { ...by, broughtBy: brought.by } } : answer;
}

/** Returns events for readers: answers brought to a team name the account that brought them. */
export function withBringers(events: readonly RunEvent[]): readonly RunEvent[] {
  const ranges = events.filter((event) => event.type === "run.broughtIn");
  if (ranges.length === 0) return events;
  return events.map((event) =>
    "by" in event && typeof event.by === "object" && event.by.channel !== "script"
      ? (ranges.reduce(
          (answer, brought) => withBringer(answer, brought),
          event as RunEvent & { by: Person },
        ) as RunEvent) // the same event
      : event,
  );
}
