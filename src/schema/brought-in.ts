import * as z from "zod/mini";
import { PhaseKey, Supervision } from "./plan.ts";

/**
 * A team's server took in a run from a user's machine. Its lines stay as they are; the answers in events `from` to `to`
 * are the bringer's word. From here on the team's policy applies.
 */
export const broughtIn = {
  /** Account that brought it. */
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
