import { createCheckRunner } from "../../../adapters/checks/create-check-runner.ts";
import { createRedactor, listSecrets } from "../../../core/redact.ts";
import { againstBaseline, isFailure } from "../../../core/baseline.ts";
import { checkGate, type GateVerdict } from "../../../core/check-gate.ts";
import { isRecord, ownValue } from "../../../core/own-value.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../../core/run.ts";
import type { CheckResult } from "../../../schema/facts.ts";
import { projectStateFile } from "../../../views/state-file/state-file.ts";
import { runChecks } from "../../../engine/steps/checks.ts";
import { gateNotice } from "../../../views/gate-banner.ts";
import { plainText } from "../../../views/plain-text.ts";
import { heldAgainst } from "../../../views/finish-lines.ts";
import { waitLines, waitPlace } from "../../../views/status.ts";
import { next } from "../../../core/next.ts";
import { createChecks, createWorkspace } from "../../../compose/checks-of.ts";
import { type GateLook, type GateQuery, lookAtGate } from "../../../app/inspect/look-at-gate.ts";
import { openRun } from "../invocation/project-of.ts";
import { done, flag, type Invocation, type Result, type Run } from "../invocation/verb.ts";
import { checkOutcome } from "../../../views/tests-in-full.ts";
import { type ChangesOptions, changesText } from "../../../views/changes-text.ts";
import { REVIEW_GROUPS } from "../../../core/review-order/review-order.ts";
import { AGENT_VARIABLE } from "../../../adapters/process/child-environment.ts";
import { documentText, showChanges } from "../terminal/show-changes.ts";

/** Shows the open wait with its summary and, on request, the patch. */
export const gate: Run = async (invocation) => {
  const { project, run } = await openRun(invocation);
  const query = { ...diffQuery(invocation.values), events: project.journal.events(run.run.run) };
  return gateResult(invocation, run, await lookAtGate(project, run, query));
};

/** Reads which changes are asked for. An option that shapes the changes asks for them. */
export function diffQuery(values: Invocation["values"]): Omit<GateQuery, "events"> {
  const isShaped = ["files", "group", "order", "word-diff", "since-last"].some((name) => values[name] !== undefined);
  return { isDiffWanted: flag(values, "diff") || isShaped, since: flag(values, "since-last") ? "look" : "accepted" };
}

const changesOptions = (values: Invocation["values"]): ChangesOptions => ({
  order: ORDERS.find((order) => order === values["order"]) ?? "review",
  group: REVIEW_GROUPS.find((group) => group === values["group"]) ?? null,
  isList: flag(values, "files"),
  isWordDiff: flag(values, "word-diff"),
});

const ORDERS = ["review", "tree", "name"] as const;

/** Formats a gate for local runs and for runs of a team. */
export async function gateResult(invocation: Invocation, run: ActiveRun, { changes, view }: GateLook): Promise<Result> {
  const { io, values } = invocation;
  const now = next(run);
  if (now.is !== "wait") return done(["Nothing is waiting for an answer."], view);
  const text = diffQuery(values).isDiffWanted && changes !== null ? changesText(changes, changesOptions(values)) : null;
  const lines = gateLines(invocation, run, { changes, view });
  if (text === null || !io.interactive) return done(text === null ? lines : [...lines, text], view);
  for (const line of lines) io.out(line);
  await showChanges(invocation, text);
  return done([], view);
}

function gateLines({ io }: Invocation, run: ActiveRun, { changes, view }: GateLook): string[] {
  const now = next(run);
  if (now.is !== "wait") return [];
  if (view.summary === undefined) return [...heldAgainst(run), ...waitLines(now.wait, now.options, waitPlace(run))];
  const seen = changes === null ? {} : { changes };
  const notice = gateNotice(run, io.interactive ? { ...seen, columns: io.columns } : seen);
  return [documentText(io, view.summary), notice ?? ""];
}

/** Runs the checks of the current phase without recording their results. */
export const check: Run = async (invocation) => {
  const { project, run } = await openRun(invocation);
  const phase = currentPhase(run);
  if (phase === undefined) return done(["Every phase is done; there is nothing to check."], { checks: [] });
  const redact = createRedactor(listSecrets(project.env));
  const workspace = createWorkspace(project, run);
  const isAgent = project.env[AGENT_VARIABLE] !== undefined; // an agent checks its own working tree
  const checks = isAgent
    ? createCheckRunner(project.root, { env: project.env, redact })
    : createChecks(project, run, { workspace, redact });
  const tree = isAgent ? null : await workspace.now([run.run.item]);
  const found = await runChecks(
    { checks, redact, workspace, show: ({ text: line }) => invocation.io.err(line) },
    { run, phase, claimed: phase.made?.artifacts ?? [], tree },
    new AbortController().signal,
  );
  const results = found.map((result) => againstBaseline(run.baseline, result));
  const gate = gateVerdict(run, phase, results);
  const ok = gate.decision === "allow" && !results.some(isFailure);
  const lines = results.map((check) => `${check.name}: ${checkOutcome(check)}\n${plainText(check.detail)}`.trim());
  const blocked = gate.stopReason === undefined ? [] : [`The phase cannot be left: ${plainText(gate.stopReason)}`];
  const json = { ok, phase: phase.rule.key, checks: results, gate };
  return { code: ok ? 0 : 1, lines: [...lines, ...gate.notes, ...blocked], json } satisfies Result;
};

/** Checks the requirements of a phase against the journal, with the results of the checks just run. */
function gateVerdict(run: ActiveRun, { rule, made }: PhaseRecord, results: readonly CheckResult[]): GateVerdict {
  const state = projectStateFile({ user: {}, run, history: [], version: 1, counters: {} });
  const failed = results.filter(isFailure).map(({ name }) => name);
  const tests = { completed: true, status: failed.includes("tests") ? "failed" : "success" };
  const found = ownValue(ownValue(state, "phases"), rule.key);
  const now = {
    ...(isRecord(found) ? found : {}),
    artifacts: failed.includes("artifacts") ? [] : rule.outputs,
    iteration_requirements: { test_iteration: tests, interactive_elicitation: { completed: false } },
  };
  return checkGate({ ...state, phases: { [rule.key]: now } }, rule.key, {
    delegation: true,
    artifacts: rule.outputs,
    tests: results.some(({ name, ok }) => name === "tests" && ok !== null),
    questions: run.wait?.kind === "questions",
    findings: rule.reviewer !== null && made !== null,
  });
}
