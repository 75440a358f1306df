import { existsSync } from "node:fs";
import { join } from "node:path";
import { gateIsOpen, type Outcome, reached, type Rogue, shownAs } from "../rogue.ts";
import { type Stage, until } from "../stage.ts";

/** Continue finds the file written at the open gate, and opens the gate again with its name. */
const shownByName = (stage: Stage, path: string): Promise<Outcome> =>
  shownAs(stage, "Changed after the summary; Continue accepts it as it is now", `${path} (added)`);

/**
 * No process of the agent is alive at the open gate. isdlc does not end processes left by a session's shell: they
 * continue, and their files are shown.
 */
const ended = (deed: string, does: string, holds: string): Rogue => ({
  number: 15,
  does,
  holds,
  plain: "ignored",
  guest: "detected",
  async play(stage) {
    await stage.run({ agent: ["leave-children", deed] });
    const [child] = stage.evidence("lives");
    reached(child !== undefined, "the child was alive");
    if (stage.guest) {
      await until(() => existsSync(join(stage.root, "late.txt")) || undefined, "the child wrote nothing");
      await stage.person("continue");
      return shownByName(stage, "late.txt");
    }
    const isGone = stage.left().length === 0 && !existsSync(join(stage.root, "late.txt"));
    return isGone && (await gateIsOpen(stage)) ? "ignored" : "HOLE";
  },
});

export const children: readonly Rogue[] = [
  ended(
    "detached",
    "leaves a child in a new process group that writes later",
    "isdlc ends its process group and all processes with the execution's marker before the gate opens",
  ),
  ended(
    "forked",
    "leaves a child that forked twice into a new session",
    "isdlc finds it by the marker in its environment, and ends it",
  ),
  ended("stubborn", "leaves a child that ignores SIGTERM", "isdlc sends SIGKILL after two seconds"),
  {
    number: 15,
    does: "leaves a hidden child without marker or parent that writes while the gate is open",
    holds: "the child escapes; Continue finds the file, checks again, and reopens the gate with its name",
    plain: "detected",
    strict: "ignored",
    hostile: true,
    async play(stage) {
      await stage.run({ agent: ["leave-children", "hidden"] });
      await stage.noted("written");
      reached(existsSync(join(stage.root, "src/late.mjs")), "it wrote at the open gate");
      await stage.person("continue");
      const rechecked = (await stage.events()).find(({ type }) => type === "phase.rechecked");
      const isRecorded = rechecked?.edited.some(({ path }: { path: string }) => path === "src/late.mjs");
      return isRecorded === true ? shownByName(stage, "src/late.mjs") : "HOLE";
    },
  },
  {
    number: 15,
    does: "leaves a hidden child that writes at the last gate, before the merge",
    holds: "nothing is merged before the gate has shown the file",
    plain: "detected",
    strict: "ignored",
    hostile: true,
    async play(stage) {
      await stage.run({ agent: ["leave-children", "hidden"], args: ["Do it", "--tests", "without"] });
      await stage.noted("written");
      await stage.person("continue");
      reached(!stage.git("ls-tree", "-r", "--name-only", "main").includes("src/late.mjs"), "nothing was merged yet");
      return shownByName(stage, "src/late.mjs");
    },
  },
];
