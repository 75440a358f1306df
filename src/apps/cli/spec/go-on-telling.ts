import type { PhaseRecord } from "../../../core/run.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { answerAtTerminal } from "../at-terminal.ts";
import { goOn, type Seat } from "../driving.ts";
import { createProgressView } from "../progress.ts";
import type { Project } from "../project.ts";
import { flag, type Invocation, type Result } from "../verb.ts";

/** Goes on with the open run; before a person says how a feature ends, they are told everything that is held against it. */
export const goOnTelling = (invocation: Invocation, project: Project): Promise<Result> =>
  goOn(invocation, project, tellingSeat(invocation));

function tellingSeat(invocation: Invocation): Seat {
  const { io, values } = invocation;
  const isQuiet = flag(values, "json");
  return {
    view: createProgressView(io, isQuiet),
    answer(scene) {
      if (scene.run.wait?.kind === "finish" && !isQuiet)
        for (const line of concernLines(scene.run.phases)) io.err(line);
      return io.interactive ? answerAtTerminal(invocation, scene) : Promise.resolve(false);
    },
  };
}

/** Progress is one short line, and gone at a terminal: nothing of these may be. */
function concernLines(phases: readonly PhaseRecord[]): string[] {
  const concerns = phases.flatMap(({ rule, made }) =>
    (made?.concerns ?? []).map((concern) => `  ${rule.key}: ${plainLine(concern)}`),
  );
  return concerns.length === 0 ? [] : ["Reviewer concerns:", ...concerns];
}
