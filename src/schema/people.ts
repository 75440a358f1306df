import * as z from "zod/mini";
import { PhaseKey, Supervision } from "./plan.ts";

/** Channels through which a user's answer can reach a run. */
export const Channel = z.enum(["terminal", "token", "dashboard", "prompt", "form", "passkey"]);
export type Channel = z.infer<typeof Channel>;

/** Process that sent an answer, as far as the system reports it. */
export const Origin = z.strictObject({
  pid: z.int(),
  session: z.nullable(z.int()),
  terminal: z.nullable(z.string()),
});

export const Person = z.strictObject({
  name: z.string(),
  channel: Channel,
  origin: z.optional(Origin),
  /** Set if the channel was opened while an agent was running. Displayed with the answer everywhere. */
  suspicious: z.optional(z.string()),
  /** Account that brought the answer to a team, whose server did not check it. Set by readers, never recorded. */
  broughtBy: z.optional(z.string()),
});
export type Person = z.infer<typeof Person>;

/** An agent, or a process that descends from one. Refused for every decision. */
export type Agent = { readonly name: string; readonly channel: "agent" };

/** Author of a run. Scripts may start runs, but only people may decide. */
export const Initiator = z.union([Person, z.strictObject({ name: z.string(), channel: z.literal("script") })]);
export type Initiator = z.infer<typeof Initiator>;

/**
 * Data of the event that a team server took over a run from a user's machine. Existing lines stay unchanged, and the
 * answers in events `from` to `to` are unverified claims of the bringer. The team's policy applies from here on.
 */
export const broughtIn = {
  /** Account that brought the run. */
  by: z.string(),
  from: z.int(),
  to: z.int(),
  options: z.strictObject({
    finish: z.literal("ask"),
    sizing: z.literal("ask"),
    redTests: z.literal("ask"),
  }),
  supervision: Supervision,
  /** Phases whose gate always opens. */
  gates: z.array(PhaseKey),
};
