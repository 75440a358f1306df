import { leftInTree } from "../../../app/answer/left-in-tree.ts";
import type { Project } from "../../../app/project/project.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { leftLines } from "../../../views/left-lines.ts";
import { ask } from "./ask.ts";
import type { Io } from "./io.ts";

/** Asks if the uncommitted changes of a canceled run's agent stay in the working tree. */
export async function askWhatIsLeft(io: Io, project: Project, run: ActiveRun): Promise<"keep" | "restore"> {
  const paths = (await leftInTree(project, run)) ?? [];
  if (paths.length === 0) return "keep";
  const isYes = await ask(io, {
    question: "Remove these changes? They stay saved under a git ref.",
    about: leftLines({ paths, kept: null }),
    enter: "n",
  });
  return isYes ? "restore" : "keep";
}
