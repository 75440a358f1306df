import { type Choice, type ChoiceId, ChoicesNeeded } from "../../../app/choice.ts";
import { ask, askAbout, askTrust } from "./ask.ts";
import type { Io } from "../invocation/io.ts";
import { leftInTree } from "../../../app/answer/left-in-tree.ts";
import type { Project } from "../../../app/project/project.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { leftLines } from "../../../views/finish-lines.ts";
import { flag, type Invocation } from "../invocation/verb.ts";

type AskLine = (io: Io, about: readonly string[]) => Promise<string | null>;

type Confirmation = { readonly yes?: string; readonly enter?: "y" | "n" };

const confirm =
  (question: string, { yes = "yes", enter = "n" }: Confirmation = {}): AskLine =>
  async (io, about) =>
    (await ask(io, { question, about, enter })) ? yes : null;

const menu =
  (options: Readonly<Record<string, string>>, lines: readonly string[] = [], enter?: string): AskLine =>
  async (io, about) => {
    const key = await askAbout(io, [...about, ...lines], { keys: Object.keys(options), enter });
    return key === null ? null : (options[key] ?? null);
  };

/** Requires Y or N, without a default: Enter must neither spend money nor delete anything. */
const yesOrNo =
  (keys: string): AskLine =>
  async (io, about) =>
    (await askAbout(io, [...about, keys], { keys: ["y", "n"] })) === "y" ? "yes" : null;

/** The question of each choice. Choices missing here are not asked while another command runs. */
const askings: Readonly<Partial<Record<ChoiceId, AskLine>>> = {
  // Requires Y or N, without a default: Enter must not give up the undo.
  git: async (io, [lost = ""]) => {
    const question = [lost, "[Y] Yes, work in place without git  [N] No"];
    return (await askAbout(io, question, { keys: ["y", "n"] })) === "y" ? "no-git" : null;
  },
  create: yesOrNo("[Y] Yes, create it and analyze it now  [N] No"),
  remove: yesOrNo("[Y] Yes, remove it  [N] No"),
  dirty: confirm("Start with them? They stay uncommitted.", { yes: "allow-dirty", enter: "y" }),
  hooks: async (io, about) => ((await askTrust(io, "Run them?", about)) ? "trust" : null),
  proceed: async (io) => ((await ask(io, { question: "Proceed?", enter: "y" })) ? "yes" : null), // the details were displayed before
  skips: confirm("Continue anyway?"),
  another: confirm("Create a new item anyway?"),
  place: menu({ t: "there", h: "here", s: "stop" }, [
    "[T] There -- continue in the feature's worktree",
    "[H] Here -- work in this working tree, on the branch that is checked out",
    "[S] Stop",
  ]),
  analysis: confirm("Build anyway?"),
  supervision: menu({ s: "supervised", a: "autonomous" }, [
    "[S] Supervised -- review gates after every phase",
    "[A] Autonomous -- no review gates in this run",
  ]),
  tasks: confirm("Finish anyway?"),
  partial: menu({ r: "resume", s: "skip", f: "restart" }, [], "r"),
  begun: menu({ c: "continue", f: "fresh", r: "review" }, [], "c"),
};

/** Returns the option chosen at the terminal; null for a no, and for a choice without a question here. */
export async function askChoice(io: Io, { id, about }: Choice): Promise<string | null> {
  return (await askings[id]?.(io, about)) ?? null;
}

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
