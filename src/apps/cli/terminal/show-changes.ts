import pc from "picocolors";
import type { Invocation } from "../grammar/verb.ts";
import { showInPager } from "./pager.ts";

export type Viewer = Pick<Invocation, "io" | "env">;

/** Shows text that contains patches in color, in the user's pager if there is one. */
export async function showChanges({ io, env }: Viewer, text: string): Promise<void> {
  const shown = colored(text, pc.createColors(io.color));
  if (!(await showInPager(shown, env))) io.out(shown);
}

const PAINTS: readonly [RegExp, "bold" | "cyan" | "green" | "red"][] = [
  [/^(?:diff |index |--- |\+\+\+ )/, "bold"],
  [/^@@/, "cyan"],
  [/^\+/, "green"],
  [/^-/, "red"],
];

function colored(patch: string, colors: ReturnType<typeof pc.createColors>): string {
  const paint = (line: string): string => {
    const found = PAINTS.find(([pattern]) => pattern.test(line));
    return found === undefined ? line : colors[found[1]](line);
  };
  return patch.split("\n").map(paint).join("\n");
}
