import * as z from "zod/mini";
import { PhaseKey, Supervision } from "./plan.ts";

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
