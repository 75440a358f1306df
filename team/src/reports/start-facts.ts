import * as z from "zod/mini";
import type { Command, StartCommand } from "../../../src/core/command.ts";
import { TestCommand } from "../../../src/schema/facts.ts";
import { isSafeName } from "../../../src/schema/ids.ts";
import { PhaseKey, RunOptions, IssueSource } from "../../../src/schema/plan.ts";
import { OUTCOME_FIELDS } from "./outcome-fields.ts";
import type { ReportField } from "./report-field.ts";
import { AgentChoice, SandboxNetwork } from "../../../src/schema/run-agents.ts";

type Facts = StartCommand["facts"];

/** Source of each field of a team's first event. `nobody`: the field does not apply to a run of a team. */
export const START_FIELDS: { readonly [F in keyof Facts]-?: "server" | "worker" | "nobody" } = {
  run: "server",
  scope: "server",
  workflow: "server",
  title: "server", // title of the request, or of the item it names
  issue: "worker",
  item: "server", // its folder is compared with drawn names
  plan: "server",
  workflowPhases: "server",
  analysed: "server",
  options: "server", // except limits, which only add questions
  supervision: "server",
  minimalSummary: "server",
  settings: "server",
  agent: "worker",
  reviewer: "worker",
  agents: "worker",
  reviewers: "worker",
  sandbox: "worker",
  network: "worker",
  programs: "nobody",
  git: "server", // the commit is compared with the base at the remote
  tree: "nobody",
  view: "nobody",
  worktree: "nobody",
  tests: "worker",
  passkeys: "server",
  warnings: "worker",
  by: "server",
};

const { budget, limits, session } = RunOptions.shape;
const text = (most: number) => z.string().check(z.maxLength(most));

/** All facts that a worker reports when it starts a run. */
export const StartFacts = z.strictObject({
  /** Folder of the item; null for a workflow without items. */
  folder: z.nullable(text(200).check(z.refine(isSafeName))),
  title: text(2000),
  issue: z.optional(IssueSource),
  /** Phases to run: all except those completed by an earlier analysis. */
  phases: z.array(PhaseKey).check(z.minLength(1), z.maxLength(200)),
  /** Tip of the base, from which the worker starts. */
  commit: z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)),
  agent: AgentChoice,
  reviewer: z.nullable(AgentChoice),
  agents: z.optional(z.record(PhaseKey, AgentChoice)),
  reviewers: z.optional(z.record(PhaseKey, AgentChoice)),
  sandbox: z.optional(z.boolean()),
  network: z.optional(SandboxNetwork),
  tests: z.nullable(TestCommand),
  budget,
  limits,
  session,
  warnings: z.array(text(2000)).check(z.maxLength(200)),
});
export type StartFacts = z.infer<typeof StartFacts>;

/** Converts a command to the facts that a worker sends. */
export function toReport(command: Command): Readonly<Record<string, unknown>> {
  if (command.do === "start") return { do: "start", facts: startFacts(command.facts) };
  if (command.do !== "report" || "failed" in command.outcome) return { ...command };
  const fields: Readonly<Record<string, ReportField>> = OUTCOME_FIELDS[command.outcome.of];
  const facts = Object.entries(command.outcome).filter(([name]) => fields[name]?.kind !== "decision");
  return { ...command, outcome: Object.fromEntries(facts) };
}

function startFacts(facts: Facts): StartFacts {
  const { title, issue, agent, reviewer, agents, reviewers, sandbox, network } = facts;
  const { tests, options, warnings, git, plan, item } = facts;
  const { budget, limits, session } = options;
  const optional = { issue, agents, reviewers, sandbox, network, budget, limits, session };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    folder: item.startsWith(".") ? null : item.slice(item.lastIndexOf("/") + 1),
    title,
    phases: plan.map(({ key }) => key),
    commit: git?.commit ?? "",
    agent,
    reviewer,
    tests,
    warnings: [...warnings],
    ...Object.fromEntries(given),
  };
}
