import { OWN, ownPath } from "../../../core/own-folder.ts";
import { resolvePlan } from "../../../core/plan.ts";
import { loadWorkflow, personaDigests, workflowNames } from "../../../adapters/project-files/definitions.ts";
import { RULE_NAMES, ruleValue } from "../../../core/overlay/strictness.ts";
import type { Mode, PhaseRule, WorkflowDefinition } from "../../../schema/plan.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { ResolvedWorkflow } from "../../../ports/workflows.ts";
import { done, type Result } from "../invocation/verb.ts";

type ExplainedRule = { readonly rule: string; readonly value: unknown; readonly from: string };
type ExplainedPhase = { readonly key: string; readonly name: string; readonly rules: readonly ExplainedRule[] };

/** Lists each phase of a workflow with its current rules, and the source of each rule. */
export function explain(workflow: ResolvedWorkflow, mode: Mode): Result {
  const { definition, personas, refused } = workflow;
  const plan = resolvePlan(definition, { mode, personaDigests: personaDigests(definition, workflow.persona) });
  const phases = plan.map((phase) => explainedPhase(phase, workflow, mode));
  const changed = Object.entries(personas).map(([name, { source }]) => ({ name, from: source }));
  const lines = [
    `${definition.label}: ${definition.description}`,
    ...aboutWorkflow(definition),
    ...phases.flatMap(({ key, name, rules }) => ["", `${key}  ${plainLine(name)}`, ...rules.map(ruleLine)]),
    ...section(
      "Changed personas:",
      changed.map(({ name, from }) => `${name}  [${from}]`),
    ),
    ...section(
      'Without effect until you trust it ("isdlc trust"):',
      refused.map(({ what, why }) => plainLine(`${what}: ${why}`)),
    ),
  ];
  return done(lines, { workflow: definition, mode, phases, personas: changed, refused });
}

function explainedPhase(phase: PhaseRule, { provenance }: ResolvedWorkflow, mode: Mode): ExplainedPhase {
  const rules = RULE_NAMES.filter((rule) => rule !== "name" && ruleValue(phase, rule) !== undefined).map((rule) => ({
    rule,
    value: ruleValue(phase, rule),
    from: provenance[`${phase.key}.${rule}`] ?? "built-in",
  }));
  const verdicts = { rule: "verdicts", value: phase.verdicts, from: `mode ${mode}` };
  return { key: phase.key, name: phase.name, rules: phase.reviewer === null ? rules : [...rules, verdicts] };
}

/** Folder, branch and options from the definition. */
function aboutWorkflow({ items, branch, options }: WorkflowDefinition): string[] {
  const folder = items === null ? ownPath(OWN.work, "<run>") : `${items.root}/${items.prefix}-NNNN-<title>`;
  const name = items === null ? "<title>" : `${items.prefix}-NNNN-<title>`;
  const flags = Object.values(options).map(({ flag, description }) => `  ${flag}  ${description}`);
  return [
    `Documents: ${folder}; branch: ${branch === null ? "none" : `${branch}${name}`}`,
    ...(flags.length === 0 ? ["Its flags: none"] : ["Its flags:", ...flags]),
  ];
}

/** Lists each shipped workflow with its options, for help. */
export function workflowRows(): string[] {
  const workflows = workflowNames()
    .map(loadWorkflow)
    .filter(({ phases }) => phases.every(({ adopts }) => adopts !== true)); // it has a command of its own
  const width = Math.max(...workflows.map(({ name }) => name.length));
  const rows = workflows.map(({ name, description, options }) => {
    const flags = Object.values(options).map(({ flag }) => flag);
    return `  ${name.padEnd(width)}  ${description}${flags.length === 0 ? "" : ` (${flags.join(", ")})`}`;
  });
  return ["", "Workflows, with their flags:", ...rows];
}

const RULE_WIDTH = Math.max(...RULE_NAMES.map((rule) => rule.length));

const ruleLine = ({ rule, value, from }: ExplainedRule): string =>
  `    ${rule.padEnd(RULE_WIDTH)}  ${plainLine(told(value))}  [${from}]`;

function told(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value === "" ? "none" : value;
  return JSON.stringify(value);
}

const section = (title: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : ["", title, ...rows.map((row) => `  ${row}`)];
