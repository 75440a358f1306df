import { identifyCaller } from "../../../adapters/identity/identify-caller.ts";
import { systemSurroundings } from "../../../adapters/identity/system-callers.ts";
import { type ActiveRun, currentPhase } from "../../../core/run.ts";
import type { Person } from "../../../schema/people.ts";
import { gateNotice } from "../../../views/gate-banner.ts";
import { wrapLines } from "../../../views/wrap-lines.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { answerAtTerminal, type TerminalAnswer } from "../terminal/answer-at-terminal.ts";
import type { UserInterface } from "../terminal/continue-run.ts";
import type { Io } from "../invocation/io.ts";
import { answer, shownDigest } from "../../../app/answer/answer.ts";
import type { Invocation } from "../invocation/verb.ts";

type DemoAnswer = UserInterface["answer"];

/** The gate that the demo answers with Redo, and the guidance expected by the recording. */
const REDO = {
  phase: "03-architecture",
  guidance: "Record where rounding happens as a separate decision, with the rejected alternative.",
};

const script: Person = { name: "demo script", channel: "prompt" };

/** Answers instead of the user, and prints each answer before giving it. */
export const scriptAnswers =
  (out: Io["out"]): DemoAnswer =>
  async ({ project, run }) => {
    const said = scripted(run);
    if (said === null) return false;
    for (const line of madeLines(run)) out(line);
    const banner = gateNotice(run);
    if (banner !== null) out(banner);
    out(`demo script answers: ${said.option}${said.text === undefined ? "" : `, "${said.text}"`}`);
    await answer(project, run, { by: script, shown: shownDigest(run), ...said });
    return true;
  };

/** Asks the user. An agent's terminal is accepted too: the demo decides nothing that belongs to the user. */
export function personAnswers(invocation: Invocation): DemoAnswer {
  const by = personHere();
  return (open) => {
    const { io } = invocation;
    for (const line of [...madeLines(open.run), ...hintLines(open.run)]) io.out(wrapLines(line, io.columns));
    return answerAtTerminal(invocation, open, by);
  };
}

function scripted(run: ActiveRun): TerminalAnswer | null {
  const kind = run.wait?.kind;
  if (kind === "finish") return { option: "merge" };
  if (kind !== "gate") return null;
  return redoes(run) ? { option: "redo", text: REDO.guidance } : { option: "continue" };
}

/** Summarizes the phase's output for the decision. */
function madeLines(run: ActiveRun): string[] {
  const made = currentPhase(run)?.made ?? null;
  if (run.wait?.kind !== "gate" || made === null) return [""];
  return ["", `Made: ${plainLine(made.summary)}`, ...made.decisions.map((line) => `  - ${plainLine(line)}`), ""];
}

function hintLines(run: ActiveRun): string[] {
  if (!redoes(run)) return [];
  return [`Try Redo here: press d and type, for instance: ${REDO.guidance}`];
}

const redoes = (run: ActiveRun): boolean => {
  const phase = currentPhase(run);
  return run.wait?.kind === "gate" && phase?.rule.key === REDO.phase && phase.redos === 0;
};

function personHere(): Person {
  const surroundings = systemSurroundings();
  const caller = identifyCaller(surroundings, { drivers: [], agentRunningSince: null });
  return caller.kind === "person" ? caller.person : { name: surroundings.userName, channel: "prompt" };
}
