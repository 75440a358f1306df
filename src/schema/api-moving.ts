import * as z from "zod/mini";
import { JournalLines, LeftTree } from "./api-team.ts";

/** How a run moves between a person's working tree and a team. */

/** One working tree, by a number of its own: only the one that a run went to can bring it back. */
const Place = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/** A run that comes to the team: its whole journal, and where its tree was pushed to. */
export const TakeIn = z.strictObject({
  repository: z.string().check(z.maxLength(100)),
  place: Place,
  lines: z.array(z.string()).check(z.minLength(1)),
  left: LeftTree,
});
export type TakeIn = z.infer<typeof TakeIn>;
/** Of the team's journal; further than what was sent where the run was taken in before. */
export const TakenIn = z.object({ seq: z.int() });

/** Where a run was that an admin took back, in words. */
export const TakenBack = z.object({ from: z.string() });

/** A run that leaves the team; `to` says in words where it goes. */
export const LetGo = z.strictObject({ place: Place, to: z.string().check(z.minLength(1), z.maxLength(200)) });
export type LetGo = z.infer<typeof LetGo>;
export const GoneTo = z.extend(JournalLines, { left: LeftTree });
export type GoneTo = z.infer<typeof GoneTo>;
