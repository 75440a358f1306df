import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { WorkflowDefinition } from "../../schema/plan.ts";
import { packageRoot } from "./package-root.ts";

/** Lists the workflows of this package in alphabetical order. */
export function workflowNames(): string[] {
  return namesIn("workflows", ".json");
}

/** Caches definitions: files of this package do not change at run time. */
const workflows = new Map<string, WorkflowDefinition>();

/** @throws ProblemError `WORKFLOW_UNKNOWN` */
export function loadWorkflow(name: string): WorkflowDefinition {
  const valid = workflowNames();
  if (!valid.includes(name)) throw new ProblemError({ code: "WORKFLOW_UNKNOWN", name, valid });
  const known = workflows.get(name) ?? readWorkflow(name);
  workflows.set(name, known);
  return known;
}

const readWorkflow = (name: string): WorkflowDefinition =>
  WorkflowDefinition.parse(JSON.parse(readFileSync(join(packageRoot(), "workflows", `${name}.json`), "utf8")));

export function personaNames(): string[] {
  return namesIn("agents", ".md");
}

/** Returns the prompt of a persona. Names come from workflow definitions: an unknown one is a bug in this package. */
export function loadPersona(name: string): string {
  if (!personaNames().includes(name)) throw new Error(`There is no persona "${name}" in this package.`);
  return readFileSync(join(packageRoot(), "agents", `${name}.md`), "utf8").replace(FRONT_MATTER, "");
}

/** Name, description and tools, for products that load the persona as a sub-agent. */
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/;

/** Returns the digest of each persona of a workflow, including reviewers. */
export function personaDigests(
  definition: WorkflowDefinition,
  load: (name: string) => string = loadPersona,
): Record<string, string> {
  const names = new Set(definition.phases.flatMap(({ persona, reviewer }) => [persona, reviewer ?? persona]));
  return Object.fromEntries([...names].map((name) => [name, digestText(load(name))]));
}

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(join(packageRoot(), folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
}

const digestText = (text: string): string => createHash("sha256").update(text).digest("hex");
