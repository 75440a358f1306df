import type { EventDraft } from "../../schema/event.ts";
import type { Finish } from "../../schema/plan.ts";
import { type ActiveRun, indexAfter } from "../run.ts";

/** Leaves the current phase. After the last phase, decides how the run ends or asks the user. */
export function leavePhase(run: ActiveRun): readonly EventDraft[] {
  const left: EventDraft = { type: "phase.left" };
  if (indexAfter(run.phases, run.index) < run.phases.length) return [left];
  const ends = waysToFinish(run);
  const wanted = run.run.options.finish;
  if (wanted === "ask" && ends.length > 1) return [left, { type: "finish.asked", options: [...ends] }];
  const how = wanted === "merge" && ends.includes("merge") ? "merge" : "keep";
  return [left, { type: "finish.chosen", how, by: "engine" }];
}

const USUAL: readonly Finish[] = ["merge", "squash", "pr", "keep"];

export function waysToFinish(run: ActiveRun): readonly Finish[] {
  const git = run.run.git;
  const mergeable = git !== null && git.branch !== null && git.base !== null && run.run.options.commits !== "none";
  const ends = run.run.options.ends ?? USUAL;
  return mergeable ? ends : ends.filter((how) => how === "keep" || how === "discard");
}
