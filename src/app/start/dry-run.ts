import { decide } from "../../core/decide/decide.ts";
import { evolve } from "../../core/evolve/evolve.ts";
import { unproven } from "../../core/evolve/attempt.ts";
import { type ActiveRun, noRun } from "../../core/run.ts";
import { isGateDue } from "../../core/supervision.ts";
import { phasePrompt } from "../../engine/prompt.ts";
import type { PhaseRule } from "../../schema/plan.ts";
import type { DryPhase, DryRun } from "../../views/dry-run.ts";
import { choiceText, phaseAgent, reviewAgent } from "../agents/agent-choice.ts";
import type { Choice } from "../choice.ts";
import type { Project } from "../project/project.ts";
import { folderSlug } from "./name-work.ts";
import { planRun, type RunPlan } from "./plan-run.ts";
import type { RunRequest } from "./run-request.ts";

/** Thrown instead of starting a run, to display the plan only. */
export class DryRunShown extends Error {
  override readonly name = "DryRunShown";
  readonly dryRun: DryRun;
  constructor(dryRun: DryRun) {
    super("Nothing was started.");
    this.dryRun = dryRun;
  }
}

/**
 * Plans a run and collects the questions before its start. Takes the first option of each open choice, to plan the
 * rest. Writes nothing.
 */
export async function dryRun(project: Project, request: RunRequest): Promise<DryRun> {
  const asked: Choice[] = [];
  for (let wanted = request; ;) {
    const planned = await planRun(project, wanted);
    const notes = planned.notes.filter((note) => !note.includes("\n")); // phases are listed separately
    if (planned.ok) return { ...outlinePlan(planned.plan), asked: asked.flatMap(({ about }) => about), notes };
    const choice = planned.choices.find(({ id }) => wanted.decisions[id] === undefined);
    const option = choice?.options[0];
    if (choice === undefined || option === undefined || choice.id === "item")
      return { ...NO_PLAN, asked: [...asked, ...planned.choices].flatMap(({ about }) => about), notes };
    asked.push(choice);
    wanted = { ...wanted, decisions: { ...wanted.decisions, [choice.id]: option } };
  }
}

type PlanOutline = Omit<DryRun, "asked" | "notes">;

const NO_PLAN: PlanOutline = { head: null, phases: [] };

function outlinePlan(plan: RunPlan): PlanOutline {
  const { project, definition, facts, git, work } = plan;
  const slug = folderSlug(project, facts.title);
  const folder = work.target?.folder ?? (definition.items === null ? slug : `<number>-${slug}`);
  const branch = git === null || definition.branch === null ? null : `${definition.branch}${folder}`;
  const run = openedRun(plan, folder);
  const head = {
    workflow: facts.workflow,
    title: facts.title,
    branch: plan.branch?.branch ?? branch,
    base: git?.base ?? null,
    tests: facts.tests?.argv ?? null,
    isSandboxed: facts.sandbox === true,
  };
  return { head, phases: facts.plan.map((rule, index) => toDryPhase(plan, { ...run, index }, rule)) };
}

/** Returns the run as if opened, for building prompts. */
function openedRun({ facts, git, project }: RunPlan, folder: string): ActiveRun {
  const item = `docs/requirements/${folder}`;
  const started = decide(noRun, {
    do: "start",
    facts: { ...facts, run: project.newRunId(), item, git: git === null ? null : { ...git, branch: null } },
  });
  const [event] = started.ok ? started.events : [];
  const state = event === undefined ? noRun : evolve(noRun, { ...event, seq: 1, at: project.clock.now() });
  if (state.is !== "active") throw new Error("a run that is opened is active");
  return state;
}

function toDryPhase(plan: RunPlan, run: ActiveRun, rule: PhaseRule): DryPhase {
  const { agents, facts, project } = plan;
  const { persona } = project.workflows.resolve(facts.workflow);
  const phase = run.phases[run.index];
  const turn = { work: unproven, brief: { why: "first", text: "" }, digest: "", halfWritten: [], edited: [] } as const;
  const prompt = phase === undefined ? "" : phasePrompt(run, phase, turn);
  return {
    key: rule.key,
    agent: choiceText(phaseAgent(agents, rule.key)),
    reviewer: rule.reviewer === null ? null : choiceText(reviewAgent(agents, rule.key)),
    verdicts: rule.verdicts,
    hasGate: rule.gate === "always" || isGateDue(facts.supervision, rule.key),
    promptCharacters: persona(rule.persona).length + prompt.length,
  };
}
