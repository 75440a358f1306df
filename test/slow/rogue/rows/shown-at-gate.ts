import { gateIsOpen, type Outcome, reached, type Rogue, shownAs } from "../rogue.ts";
import type { Stage } from "../stage.ts";

export const NUMBER = 22;
export const FEATURE = ["feature", "Log in", "--supervised", "--tests", "without"];

export async function hides(stage: Stage, deed: string, args: readonly string[] = FEATURE): Promise<void> {
  stage.write(".gitignore", "ignored/\n");
  stage.git("add", ".gitignore");
  stage.git("commit", "--quiet", "--message", "Ignore");
  await stage.run({ agent: ["hide-changes", deed], args });
  reached(stage.evidence("hid").length > 0, "the agent hid a change");
}

type ShownAttack = {
  readonly deed: string;
  readonly does: string;
  readonly holds: string;
  readonly texts: readonly string[];
};

/** The gate shows the attack. In both columns, if the attack changes only the working tree. */
export const shownAtGate = ({ deed, does, holds, texts }: ShownAttack, strict?: Outcome): Rogue => ({
  number: NUMBER,
  does,
  holds,
  plain: "detected",
  ...(strict === undefined ? {} : { strict }),
  async play(stage) {
    await hides(stage, deed);
    if (!(await gateIsOpen(stage))) return "HOLE";
    const diff = (await stage.script("gate", "--diff")).stdout;
    const isThere = texts.every((text) => diff.includes(text));
    return isThere ? "detected" : shownAs(stage, ...texts);
  },
});
