import { next } from "../../../core/next.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { shellWord } from "../../../core/shell-word.ts";
import { statusLines, statusObject } from "../../../views/status.ts";
import { currentRun, driverOf, type Project } from "../project.ts";
import { projectOf } from "../project-of.ts";
import { done, flag, type Run, text } from "../verb.ts";

/** Where the run stands. An ended run is shown only when it is asked for by id. */
export const status: Run = async (invocation) => {
  const { values } = invocation;
  const project = projectOf(invocation);
  const named = text(values, "run");
  const { state } = currentRun(project, named);
  const shown = state.is === "ended" && named === undefined ? ({ is: "none" } as const) : state;
  const liveness = { driven: shown.is === "active" && shown.wait === null && driverOf(project) !== null };
  if (shown.is === "active" && !liveness.driven) await endAbandoned(shown);
  const run = statusObject(shown, liveness);
  if (shown.is !== "none") return flag(values, "json") ? done([], { run }) : done(statusLines(shown, liveness));
  const elsewhere = await openOutside(project);
  const hints = elsewhere.map((path) => `Another working tree has one: isdlc -C ${shellWord(path)} status`);
  return done([...statusLines(shown, liveness), ...hints], { run, ...(hints.length > 0 ? { elsewhere } : {}) });
};

async function openOutside(project: Project): Promise<readonly string[]> {
  const { openElsewhere } = await import("../elsewhere.ts");
  return openElsewhere(project);
}

/** A driver that was killed may have left its agent behind; whoever looks next ends it. */
async function endAbandoned({ stage }: ActiveRun): Promise<void> {
  const claim = "claim" in stage ? stage.claim : null;
  if (claim === null) return;
  const { createProcesses } = await import("../../../adapters/process/create-processes.ts");
  await createProcesses().endAll(claim.nonce);
}

/** What should happen now, in one line. */
export const nextVerb: Run = (invocation) => {
  const { state } = currentRun(projectOf(invocation), text(invocation.values, "run"));
  const now = next(state);
  switch (now.is) {
    case "action":
      return Promise.resolve(done([`${now.step}${now.attempt === null ? "" : ` ${now.attempt}`}`], { next: now }));
    case "wait":
      return Promise.resolve(done([`wait ${now.wait.id}: ${now.options.join(", ")}`], { next: now }));
    case "done":
      return Promise.resolve(
        done([now.how === "none" ? "No run is open here." : `The run is ${now.how}.`], { next: now }),
      );
    default:
      return now satisfies never;
  }
};
