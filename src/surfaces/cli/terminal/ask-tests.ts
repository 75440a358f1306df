import type { Choice } from "../../../app/choice.ts";
import type { Project } from "../../../app/project/project.ts";
import { parseTestCommand } from "../../../core/test-command.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { cutToScreens } from "../../../views/tests-in-full.ts";
import type { Invocation } from "../invocation/verb.ts";
import { askAbout } from "./ask.ts";
import { askText } from "./ask-text.ts";
import { shellWord } from "../../../core/command-line.ts";
import { setTestCommand } from "../../../app/settings/change-setting.ts";

const TRUST_MENU = [
  "[Y] Yes -- run these tests to check the work",
  "[A] Another command... -- type the command that runs your tests",
  "[N] No -- run no tests in this run",
  "[Q] Quit -- start nothing",
];

const UNAVAILABLE_MENU = [
  "[A] Another command... -- type the command that runs your tests",
  "[W] Without tests -- run no tests in this run",
  "[T] Try again -- after you installed what is missing",
  "[Q] Quit -- start nothing",
];

/** Asks how to test the work. A command typed here is saved for this project. Null if the user leaves it. */
export async function askTests(invocation: Invocation, project: Project, choice: Choice): Promise<string | null> {
  const { io } = invocation;
  for (;;) {
    const key = await askMenu(invocation, choice);
    if (key !== "a") return key === null ? null : (ANSWERS[key] ?? null);
    const typed = await askCommand(invocation);
    if (typed === null) continue;
    const warning = await setTestCommand(project, typed);
    io.out(`Saved for this project. Change it with: isdlc config set tests ${shellWord(plainLine(typed, 200))}`);
    return warning === null ? "trust" : "retry";
  }
}

const ANSWERS: Readonly<Record<string, string>> = { y: "trust", n: "without", w: "without", t: "retry" };

function askMenu({ io }: Invocation, { kind, about: shown }: Choice): Promise<string | null> {
  const about = cutToScreens(shown, io);
  if (kind === "unavailable") return askAbout(io, [...about, ...UNAVAILABLE_MENU], { keys: ["a", "w", "t"] });
  return askAbout(io, [...about, ...TRUST_MENU], { keys: ["y", "a", "n"] }); // Enter alone trusts nothing
}

async function askCommand(invocation: Invocation): Promise<string | null> {
  const { io } = invocation;
  const message = "Which command runs the tests?";
  const placeholder = "npm run unit (Esc goes back)";
  for (;;) {
    const typed = (await askText(invocation, { message, placeholder, signal: new AbortController().signal }))?.trim();
    if (typed === undefined || typed === "") return null;
    const parsed = parseTestCommand(typed);
    if (parsed.ok && parsed.commands.length === 1) return typed;
    if (!parsed.ok && parsed.shell === null) {
      io.out(`This command cannot be used: ${parsed.detail}.`);
      continue;
    }
    const chosen = await askHow(invocation, typed, parsed.ok);
    if (chosen !== null) return chosen;
  }
}

/**
 * Asks how to run a command line that needs several programs or a shell: as a list of commands, if they are only
 * joined by `&&`, or through a shell. Null to edit it.
 */
async function askHow({ io }: Invocation, typed: string, isList: boolean): Promise<string | null> {
  const several = "[S] Save as several commands -- run one after the other, each only if the one before passed";
  const through = `[H] Run it through a shell -- sh -c ${shellWord(plainLine(typed, 200))}`;
  const menu = [...(isList ? [several] : []), through, "[E] Edit -- type it again"];
  const key = await askAbout(io, ["This command line needs more than one program or a shell.", ...menu], {
    keys: isList ? ["s", "h", "e"] : ["h", "e"],
  });
  if (key === "s") return typed;
  return key === "h" ? `sh -c ${shellWord(typed)}` : null;
}
