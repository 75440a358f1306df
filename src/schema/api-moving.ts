import * as z from "zod/mini";
import { JournalLines, LeftTree } from "./api-team.ts";

/** Messages for moving a run between a user's working tree and a team. */

/** Number of one working tree. Only the working tree that received a run can bring it back. */
const Place = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/** A run sent to the team: its complete journal, and the ids of its pushed working tree. */
export const TakeIn = z.strictObject({
  repository: z.string().check(z.maxLength(100)),
  place: Place,
  lines: z.array(z.string()).check(z.minLength(1)),
  left: LeftTree,
});
export type TakeIn = z.infer<typeof TakeIn>;
/** Last event of the team's journal. Later than the sent journal if the team already had the run. */
export const TakenIn = z.object({ seq: z.int() });

/** Description of the place from which an admin took the run back. */
export const TakenBack = z.object({ from: z.string() });

/** A run that leaves the team. `to` describes its destination. */
export const LetGo = z.strictObject({ place: Place, to: z.string().check(z.minLength(1), z.maxLength(200)) });
export type LetGo = z.infer<typeof LetGo>;
export const GoneTo = z.extend(JournalLines, { left: LeftTree });
export type GoneTo = z.infer<typeof GoneTo>;
