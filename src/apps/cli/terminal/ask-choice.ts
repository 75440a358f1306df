import type { Choice, ChoiceId } from "../../../app/choice.ts";
import { ask, askAbout, askTrust } from "./ask.ts";
import type { Io } from "./io.ts";

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
