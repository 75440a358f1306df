import { isBookkeeping } from "../../core/items/bookkeeping.ts";
import { artifactPath, outputsOf } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import type { AgentTask } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";
import { isFeature } from "./feature-record.ts";
import { digestPath, phasePrompt, TASKS_FILE, tasksPrompt } from "../prompt.ts";

/** What an agent is to do, whoever it is and wherever it works. */
export type Assignment = Pick<
  AgentTask,
  "role" | "persona" | "prompt" | "access" | "cwd" | "session" | "iteration" | "artifacts"
>;

/**
 * The work of the current step for an agent that writes: a phase, or its tasks; null in every other step.
 * `edited`: what the person edited by hand before they sent it back.
 */
export function writingAssignment(engine: Engine, run: ActiveRun, edited: readonly string[] = []): Assignment | null {
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
      edited,
    }),
    iteration: stage.work.turns + 1,
    artifacts: outputsOf(phase.rule, run.run.item),
  };
}

function digestFor({ projections }: Engine, run: ActiveRun): string {
  const path = digestPath(run);
  return path === null ? "" : (projections.readArtifact(path) ?? "");
}

/** What changed since the person was shown the work that they send back: they edited it, as no agent worked meanwhile. */
export async function editedByHand({ workspace }: Engine, run: ActiveRun): Promise<string[]> {
  const isSentBack = run.stage.is === "producing" && run.stage.brief.why === "redo" && run.stage.work.turns === 0;
  const seenTree = currentPhase(run)?.seenTree ?? null;
  if (!isSentBack || seenTree === null) return [];
  const changes = await workspace.diff(seenTree, await workspace.now([run.run.item]));
  return (changes ?? []).map(({ path }) => path).filter((path) => !isBookkeeping(path));
}

/** Only for a first attempt: later ones know what they made. */
function halfWritten({ projections }: Engine, run: ActiveRun, phase: PhaseRecord): string[] {
  const isFirst = run.stage.is === "producing" && run.stage.brief.why === "first" && run.stage.work.turns === 0;
  if (!isFirst || !isFeature(run)) return [];
  return outputsOf(phase.rule, run.run.item).filter((path) => (projections.readArtifact(path) ?? "").trim() !== "");
}
