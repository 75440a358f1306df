import { artifactPath, resolveOutputs } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import type { AgentTask } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";
import { isFeature } from "./feature-record.ts";
import { userEditedFiles } from "./user-edits.ts";
import { digestPath, phasePrompt, TASKS_FILE, tasksPrompt } from "../prompt.ts";

/** Work for an agent, independent of backend and place. */
export type Assignment = Pick<
  AgentTask,
  "role" | "persona" | "prompt" | "access" | "cwd" | "session" | "iteration" | "artifacts"
>;

/** Returns the work of the current step for a writing agent: a phase or its tasks. Null in every other step. */
export async function writingAssignment(engine: Engine, run: ActiveRun): Promise<Assignment | null> {
  const { stage } = run;
  const phase = currentPhase(run);
  if (phase === undefined || (stage.is !== "producing" && stage.is !== "refining")) return null;
  const common = {
    role: "phase",
    persona: engine.persona(phase.rule.persona),
    access: "write",
    cwd: engine.root,
    session: stage.work.session,
  } as const;
  if (stage.is === "refining")
    return {
      ...common,
      prompt: tasksPrompt(run, phase, stage.brief),
      iteration: stage.work.failures + 1,
      artifacts: [artifactPath(run.run.item, TASKS_FILE)],
    };
  return {
    ...common,
    prompt: phasePrompt(run, phase, {
      ...stage,
      digest: digestFor(engine, run),
      halfWritten: halfWritten(engine, run, phase),
      edited: await userEditedFiles(engine, run),
    }),
    iteration: stage.work.turns + 1,
    artifacts: resolveOutputs(phase.rule, run.run.item),
  };
}

function digestFor({ projections }: Engine, run: ActiveRun): string {
  const path = digestPath(run);
  return path === null ? "" : (projections.readArtifact(path) ?? "");
}

/** Lists existing outputs, only for a first attempt. Later attempts know their own outputs. */
function halfWritten({ projections }: Engine, run: ActiveRun, phase: PhaseRecord): string[] {
  const isFirst = run.stage.is === "producing" && run.stage.brief.why === "first" && run.stage.work.turns === 0;
  if (!isFirst || !isFeature(run)) return [];
  return resolveOutputs(phase.rule, run.run.item).filter(
    (path) => (projections.readArtifact(path) ?? "").trim() !== "",
  );
}
