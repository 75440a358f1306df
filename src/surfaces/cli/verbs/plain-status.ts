import { next } from "../../../core/next.ts";
import { noRun, type RunState } from "../../../core/run.ts";
import { statusLines } from "../../../views/status.ts";
import { openElsewhere } from "../../../compose/open-elsewhere.ts";
import { seeProject, type SeenProject } from "../../../compose/see-project.ts";
import { done, flag, type Result, type Run } from "../invocation/verb.ts";
import { shellWord } from "../../../core/command-line.ts";
import { lookAtRun } from "../../../app/inspect/look-at-gate.ts";

/** Shows the newest run of the working tree, the most frequent request of users and prompts. */
export const plainStatus: Run = ({ cwd, env, values }) => {
  const { project, current } = seeProject(cwd, env);
  return showStatus(project, current.state, { named: false, json: flag(values, "json") });
};

type StatusRequest = { readonly named: boolean; readonly json: boolean };

export async function showStatus(
  project: SeenProject,
  state: RunState,
  { named, json }: StatusRequest,
): Promise<Result> {
  const shown = state.is === "ended" && !named ? noRun : state;
  const { view, liveness } = await lookAtRun(project, shown);
  if (view !== null) return json ? done([], { run: view }) : done(statusLines(shown, liveness));
  const elsewhere = openElsewhere(project);
  const hints = elsewhere.map((path) => `Another working tree has one: isdlc -C ${shellWord(path)} status`);
  const found = { run: view, ...(hints.length > 0 ? { elsewhere } : {}) };
  const { openWorkLines } = await import("../terminal/active-feature.ts"); // only if no run is open
  const feature = await openWorkLines(project);
  return done([...statusLines(shown, liveness), ...hints, ...feature], found);
}

export const plainNext: Run = ({ cwd, env }) => Promise.resolve(showNext(seeProject(cwd, env).current.state));

export function showNext(state: RunState): Result {
  const now = next(state);
  switch (now.is) {
    case "action":
      return done([`${now.step}${now.attempt === null ? "" : ` ${now.attempt}`}`], { next: now });
    case "wait":
      return done([`wait ${now.wait.id}: ${now.options.join(", ")}`], { next: now });
    case "done":
      return done([now.how === "none" ? "No run is open here." : `The run is ${now.how}.`], { next: now });
    default:
      return now satisfies never;
  }
}

/** Prints the context of a new agent session. Its code is loaded on demand. */
export const plainSessionStart: Run = async ({ cwd, env, values }) => {
  const { project, current } = seeProject(cwd, env);
  const { showSessionStart } = await import("./session-start.ts");
  return showSessionStart(project, current.state, { cwd, json: flag(values, "json") });
};
