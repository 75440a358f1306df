import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { flag, type Invocation } from "../grammar/verb.ts";
import { askChoice } from "./ask-choice.ts";

/**
 * What is left open of a confirmation that `--yes` gives: nothing once it was given or somebody said yes at a terminal,
 * the choice itself where nobody can be asked.
 * @throws ChoicesNeeded where somebody said no.
 */
export async function confirmChoice({ io, values }: Invocation, choice: Choice): Promise<readonly Choice[]> {
  if (flag(values, "yes")) return [];
  if (!io.interactive) return [choice];
  if ((await askChoice(io, choice)) === null) throw new ChoicesNeeded([choice]);
  return [];
}
