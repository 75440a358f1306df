import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { flag, type Invocation } from "../grammar/verb.ts";
import { askChoice } from "./ask-choice.ts";

/**
 * Returns the choices still open after a confirmation that `--yes` gives: none if the option is set or the user agrees
 * at the terminal, the choice itself without a terminal.
 * @throws ChoicesNeeded if the user declines.
 */
export async function confirmChoice({ io, values }: Invocation, choice: Choice): Promise<readonly Choice[]> {
  if (flag(values, "yes")) return [];
  if (!io.interactive) return [choice];
  if ((await askChoice(io, choice)) === null) throw new ChoicesNeeded([choice]);
  return [];
}
