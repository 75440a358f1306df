import { isPhaseKey } from "../schema/ids.ts";
import { isRecord, ownValue } from "./own-value.ts";

/** Measurements that run only if a user configured a command for them. */
export type Measurement = "coverage" | "lint" | "types" | "audit";

/** Requirements of a phase. A requirement that is absent here is not checked. */
export type GateRules = {
  readonly tests?: boolean;
  /** True: at least one. A list: each of these file names. */
  readonly artifacts?: boolean | readonly string[];
  /** The phase was actually started. */
  readonly delegation?: boolean;
  readonly questions?: boolean;
  /** The reviewer has no open findings, or a user accepted them. */
  readonly findings?: boolean;
  /** False: it has no command, and is reported as not measured. */
  readonly measurements?: Readonly<Partial<Record<Measurement, boolean>>>;
};

export type GateVerdict = { decision: "allow" | "block"; stopReason?: string; notes: string[] };

type GatePhase = Readonly<Record<string, unknown>>;

/**
 * Checks the iteration requirements of a phase against `state.json`. Neither an open review nor the supervised-mode
 * block changes the verdict. Unreadable state blocks.
 */
export function checkGate(state: unknown, phase: string, wanted: GateRules): GateVerdict {
  const rules = readRules(wanted);
  if (!isRecord(state)) return block("The state is unreadable.", []);
  const workflow = ownValue(state, "active_workflow") ?? null;
  if (workflow === null) return { decision: "allow", notes: [] };
  if (!isRecord(workflow)) return block("active_workflow in the state is damaged.", []);
  const notes = [...reviewNotes(workflow, phase), ...unmeasuredNotes(rules)];
  const record = currentRecord(state, workflow, phase);
  if (typeof record === "string") return block(record, notes);
  const failures = unmet(record, rules);
  return failures.length === 0 ? { decision: "allow", notes } : block(failures.join(" "), notes);
}

/** Untyped callers may pass any value. A rule that cannot be read counts as required. */
function readRules(rules: unknown): GateRules {
  const wants = (name: keyof GateRules): boolean => !isRecord(rules) || Boolean(ownValue(rules, name));
  const artifacts = ownValue(rules, "artifacts");
  const measurements = Object.entries((isRecord(rules) && rules["measurements"]) || {});
  return {
    tests: wants("tests"),
    artifacts: isTexts(artifacts) ? artifacts : wants("artifacts"),
    delegation: wants("delegation"),
    questions: wants("questions"),
    findings: wants("findings"),
    measurements: Object.fromEntries(measurements.map(([name, wanted]) => [name, Boolean(wanted)])),
  };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

const block = (stopReason: string, notes: string[]): GateVerdict => ({ decision: "block", stopReason, notes });

/** Returns the phase's own record, or why it cannot be checked. */
function currentRecord(state: unknown, workflow: GatePhase, phase: string): GatePhase | string {
  if (!isPhaseKey(phase)) return "The phase to check has no valid name.";
  const plan = ownValue(workflow, "phases");
  if (!Array.isArray(plan) || !plan.includes(phase)) return `${phase} is not a phase of the active workflow.`;
  if (ownValue(workflow, "current_phase") !== phase) return `${phase} is not the current phase.`;
  if (plan[Number(ownValue(workflow, "current_phase_index"))] !== phase) {
    return "current_phase and current_phase_index in the state disagree.";
  }
  const record = ownValue(ownValue(state, "phases"), phase);
  return isRecord(record) ? record : `The state holds nothing about ${phase}.`;
}

function unmet(phase: GatePhase, rules: GateRules): string[] {
  const requirements = ownValue(phase, "iteration_requirements");
  const failures: string[] = [];
  if (rules.delegation === true && !["in_progress", "completed"].includes(String(ownValue(phase, "status")))) {
    failures.push("The phase was not started.");
  }
  if (rules.tests === true && !isMet(ownValue(requirements, "test_iteration"), "success")) {
    failures.push("The tests have not passed.");
  }
  if (rules.questions === true && ownValue(ownValue(requirements, "interactive_elicitation"), "completed") !== true) {
    failures.push("Questions of the phase are not answered.");
  }
  if (rules.findings === true && !isMet(ownValue(phase, "constitutional_validation"), "compliant")) {
    failures.push("Findings of the reviewer are open.");
  }
  return [...failures, ...missingArtifacts(phase, rules.artifacts), ...failedMeasurements(requirements, rules)];
}

/** True if the requirement is met, or a user accepted its open points. */
function isMet(requirement: unknown, status: string): boolean {
  if (ownValue(requirement, "completed") !== true) return false;
  const found = ownValue(requirement, "status");
  return found === status || (found === "escalated" && ownValue(requirement, "escalation_approved") === true);
}

function missingArtifacts(phase: GatePhase, rule: GateRules["artifacts"]): string[] {
  if (rule === undefined || rule === false) return [];
  const listed = ownValue(phase, "artifacts");
  const paths = Array.isArray(listed) ? listed.filter((path) => typeof path === "string") : [];
  if (rule === true) return paths.length === 0 ? ["The phase left no artifact."] : [];
  const missing = rule.filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)));
  return missing.length === 0 ? [] : [`Missing artifacts: ${missing.join(", ")}.`];
}

function failedMeasurements(requirements: unknown, rules: GateRules): string[] {
  return Object.entries(rules.measurements ?? {})
    .filter(([name, wanted]) => wanted && ownValue(ownValue(requirements, name), "ok") !== true)
    .map(([name]) => `${name} did not pass.`);
}

function unmeasuredNotes(rules: GateRules): string[] {
  return Object.entries(rules.measurements ?? {})
    .filter(([, wanted]) => !wanted)
    .map(([name]) => `[INFO] gate-blocker: ${name} is not measured.`);
}

function reviewNotes(workflow: GatePhase, phase: string): string[] {
  const review = ownValue(workflow, "supervised_review");
  if (ownValue(review, "status") !== "reviewing") return [];
  const reviewed = [ownValue(review, "phase"), phase].find(isPhaseKey);
  return [
    `[INFO] gate-blocker: supervised review in progress for phase '${reviewed ?? "unknown"}'. Gate check unaffected.`,
  ];
}
