import { artifactPath, resolveOutputs } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord, type UserEdit } from "../../core/run.ts";
import type { AgentTask } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";
import { isFeature } from "./feature-record.ts";
import { digestPath, phasePrompt, TASKS_FILE, tasksPrompt } from "../prompt.ts";
import { lostLines, type LostLines } from "../../core/changes/lost-edits.ts";
import type { TreeId } from "../../schema/ids.ts";
import { isBookkeeping } from "../../core/items/item-meta.ts";

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

type TreeReader = Pick<Engine, "workspace">;

/** Lists files edited by the user at gates and not accepted yet. */
async function userEditedFiles(engine: TreeReader, { userEdits }: ActiveRun): Promise<string[]> {
  const paths = await Promise.all(userEdits.map((edit) => editedFiles(engine, edit)));
  return [...new Set(paths.flat())];
}

/** Names the files in which user edits were undone before a gate accepted them. */
export async function lostEditNotices(
  engine: TreeReader,
  { userEdits }: ActiveRun,
  tree: TreeId | null,
): Promise<string[]> {
  if (tree === null) return [];
  const edits = await Promise.all(userEdits.map(async (edit) => ({ ...edit, paths: await editedFiles(engine, edit) })));
  const notices: string[] = [];
  for (const [at, edit] of edits.entries()) {
    const changedSince = new Set(await editedFiles(engine, { ...edit, from: edit.to, to: tree }));
    for (const path of edit.paths.filter((one) => changedSince.has(one))) {
      const later = edits.slice(at + 1).filter(({ paths }) => paths.includes(path));
      const found = await lostIn(engine, { edits: [edit, ...later], path, tree });
      if (found.lost > 0) notices.push(lostLine(path, found));
    }
  }
  return [...new Set(notices)];
}

async function editedFiles({ workspace }: TreeReader, { from, to }: UserEdit): Promise<string[]> {
  const changes = await workspace.diff(from, to);
  return (changes ?? []).map(({ path }) => path).filter((path) => !isBookkeeping(path));
}

type EditedPath = { readonly edits: readonly UserEdit[]; readonly path: string; readonly tree: TreeId };

async function lostIn({ workspace }: TreeReader, { edits, path, tree }: EditedPath): Promise<LostLines> {
  const patches = await Promise.all(edits.map(({ from, to }) => workspace.patch(from, to, [path])));
  const [edit = "", ...later] = patches;
  const since = await workspace.patch(edits[0]?.to ?? null, tree, [path]);
  return lostLines({ edit, since, later });
}

const lostLine = (path: string, { lost, lines }: LostLines): string =>
  `Your edit of ${path} is lost: ${lost} of the ${lines} lines that you changed are changed back`;
