import type { Outcome, Report } from "../../../src/core/command.ts";
import { decideReport } from "../../../src/core/decide/report.ts";
import { isRecord } from "../../../src/core/own-value.ts";
import { artifactPath } from "../../../src/core/plan.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { type ActiveRun, currentPhase } from "../../../src/core/run.ts";
import { TASKS_FILE } from "../../../src/engine/prompt.ts";
import { mergeTarget } from "../../../src/engine/steps/finish.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { PhaseOutput, SettingsReading } from "../../../src/schema/facts.ts";
import type { CommitId } from "../../../src/schema/ids.ts";
import { Step } from "../../../src/schema/step.ts";
import * as z from "zod/mini";
import { OUTCOME_FIELDS } from "./outcome-fields.ts";
import { refusedField } from "./refused-field.ts";
import type { ReportField } from "./report-field.ts";

const FailedStep = z.strictObject({ of: Step, failed: z.string(), detail: z.string() });

type ReportBody = Readonly<Record<string, unknown>>;

/**
 * Builds the accepted report from a worker's message: its facts, with the decisions of the server. @throws
 * ProblemError NOT_ALLOWED for a decision, an unknown field, or a false fact
 */
export function admitReport(run: ActiveRun, { ticket, outcome, ...others }: ReportBody): Report {
  const [unknown] = Object.keys(others).filter((name) => name !== "do");
  if (unknown !== undefined) throw refusedField(unknown, "the report has no such field");
  if (typeof ticket !== "string" || !isRecord(outcome)) throw refusedField("outcome", "this is not a report");
  if ("failed" in outcome) return { do: "report", ticket, outcome: parsed(FailedStep, outcome, "failed") };
  const fields = toFields(outcome["of"]);
  const foreign = Object.keys(outcome).find((name) => name !== "of" && !Object.hasOwn(fields, name));
  if (foreign !== undefined) throw refusedField(foreign, "the report has no such field");
  const facts = Object.entries(fields).flatMap(([name, field]) => {
    const value = factIn(field, name, outcome[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  requireOneForm(outcome);
  const decided = decidedHere(run, outcome["of"]);
  const admitted = { of: outcome["of"], ...Object.fromEntries(facts), ...decided } as Outcome; // validated field by field
  requireTrue(run, ticket, admitted);
  return { do: "report", ticket, outcome: admitted };
}

/**
 * Requires the worker's working tree to be on a branch of its own run, or on its base while preparing or finishing.
 * @throws ProblemError NOT_ALLOWED
 */
export function requireOwnTree(run: ActiveRun, { branch }: LeftTree): void {
  const { branch: own = null, base = null } = run.run.git ?? {};
  const allowed = [own, ...(run.stage.is === "preparing" || run.stage.is === "finishing" ? [base] : [])];
  if (branch !== null && !allowed.includes(branch))
    throw refusedField("left.branch", `the run works on ${own ?? "no branch"}, not on ${branch}`);
}

type Fields = Readonly<Record<string, ReportField>>;

function toFields(of: unknown): Fields {
  if (typeof of === "string" && Object.hasOwn(OUTCOME_FIELDS, of))
    return OUTCOME_FIELDS[of as keyof typeof OUTCOME_FIELDS]; // it has the key
  throw refusedField("of", "there is no such step");
}

function factIn({ kind, schema }: ReportField, name: string, value: unknown): unknown {
  if (kind !== "decision") return parsed(schema, value, name);
  if (value !== undefined) throw refusedField(name, "the server decides this");
  return undefined;
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, name: string): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  throw refusedField(name, "its form is wrong");
}

/** Reports with two forms. Each report must contain the fields of exactly one form. */
const FORMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  commit: [["commit"], ["differs"]],
  finish: [["merged"], ["moved", "standing"]],
};

function requireOneForm(outcome: ReportBody): void {
  const forms = FORMS[String(outcome["of"])];
  if (forms === undefined) return;
  const given = Object.keys(outcome).filter((name) => name !== "of" && outcome[name] !== undefined);
  const isForm = forms.some((form) => form.length === given.length && form.every((name) => given.includes(name)));
  if (!isForm) throw refusedField("outcome", `it has ${given.join(", ") || "nothing"} of ${forms.flat().join(", ")}`);
}

/** Adds fields to a report that the server decides. */
function decidedHere(run: ActiveRun, of: unknown): { readonly settings?: SettingsReading } {
  return of === "complete" ? { settings: toSettings(run) } : {};
}

/** A team's run keeps the settings from its start. */
function toSettings({ supervision, run }: ActiveRun): SettingsReading {
  return { is: "set", ...supervision, minimal: run.minimalSummary };
}

/** Compares a report with facts known to the server. */
function requireTrue(run: ActiveRun, ticket: string, outcome: Outcome): void {
  if ("failed" in outcome) return;
  if (outcome.of === "refine" && outcome.artifact !== artifactPath(run.run.item, TASKS_FILE))
    throw refusedField("artifact", "it is not the task list of the run");
  if (outcome.of === "recheck") requireShownTree(run, ticket, outcome);
  if (outcome.of === "commit" && !("differs" in outcome)) requireProposed(run, outcome.commit);
  if (outcome.of === "finish" && mergeTarget(run) !== null)
    throw new ProblemError({
      code: "NOT_ALLOWED",
      what: "A worker does not merge into a base.",
      fix: `Ask the server for the merge: POST /api/worker/runs/${run.run.run}/merge`,
    });
}

/** Rejects a commit other than the one shown at the gate. Not checked if `proposedCommit` is missing. */
function requireProposed(run: ActiveRun, commit: CommitId | null): void {
  const proposed = currentPhase(run)?.made?.proposedCommit;
  if (proposed !== undefined && commit !== proposed)
    throw refusedField("commit", "it is not the commit that was shown");
}

type Recheck = Extract<Outcome, { of: "recheck" }>;

/** If a scan leads to acceptance, its trees must be those that the gate showed. Any other scan opens the gate again. */
function requireShownTree(run: ActiveRun, ticket: string, look: Recheck): void {
  const made = currentPhase(run)?.made ?? null;
  const decision = decideReport(run, { do: "report", ticket, outcome: look });
  if (made === null || !decision.ok || !decision.events.some(({ type }) => type === "phase.accepted")) return;
  const shown: Partial<PhaseOutput> = made;
  const other = TREES.find((name) => look[name] !== undefined && look[name] !== shown[name]);
  if (other !== undefined) throw refusedField(other, "it is not the tree that the gate showed");
  if ((look.edited ?? []).length > 0)
    throw refusedField("edited", "files changed after the gate, and no check reports this");
}

const TREES = ["tree", "commitTree", "proposedCommit", "plainTree", "wholeTree"] as const;
