import { personaDigests } from "../../../src/adapters/project-files/definitions.ts";
import { resolveWorkflow } from "../../../src/compose/workflows.ts";
import type { Outcome, PersonCommand, Report, StartCommand } from "../../../src/core/command.ts";
import { next, currentStep, currentTicket } from "../../../src/core/next.ts";
import { resolvePlan } from "../../../src/core/plan.ts";
import { type ActiveRun, currentPhase, isExecuting, type RunState, type Wait } from "../../../src/core/run.ts";
import type { StartRequest } from "../../../src/schema/api-project.ts";
import type { SettingsReading } from "../../../src/schema/facts.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { AcceptPolicy } from "../../../team/src/people/accept-policy.ts";
import { decideGates } from "../../../team/src/reports/build-start.ts";

export const RUN = "20261116-100000000-abcd" as RunId;
export const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const ADA = { name: "ada", channel: "token" } as const;

export type RunRequest = {
  readonly start: StartRequest;
  readonly policy: AcceptPolicy;
  readonly settings: SettingsReading;
};

/** The start as built by the server, without a database and a remote. */
export function createStart({ start, policy, settings }: RunRequest): StartCommand {
  const { definition, persona } = resolveWorkflow([], start.workflow);
  const plan = resolvePlan(definition, { mode: "standard", personaDigests: personaDigests(definition, persona) });
  const facts: StartCommand["facts"] = {
    ...decideGates({ start, definition, settings, policy, plan }),
    run: RUN,
    scope: "tree",
    workflow: start.workflow,
    workflowPhases: plan.map(({ key }) => key),
    title: start.title,
    item: `docs/requirements/REQ-0001-a`,
    analysed: [],
    agent: { name: "stub", digest: "0" },
    reviewer: null,
    tests: null,
    git: { branch: "feature/REQ-0001-a", base: "main", commit: COMMIT },
    warnings: [],
    by: ADA,
  };
  return { do: "start", facts };
}

/** The report of an honest worker about the current step. */
export function honestReport(run: ActiveRun): Report {
  const { stage } = run;
  const isUnclaimed = isExecuting(stage) && stage.claim === null;
  return {
    do: "report",
    ticket: currentTicket(run),
    outcome: isUnclaimed ? claim(run) : outcomes[currentStep(run)](run),
  };
}

const claim = (run: ActiveRun): Outcome => ({
  of: "claim",
  claim: { execution: `e${run.seq}` as never, nonce: "n", driver: { pid: 1, started: "1", boot: "b" } },
});

const standing = { at: "refs/heads/feature/REQ-0001-a", tip: COMMIT, base: COMMIT, settings: {} };

function execution({ stage }: ActiveRun) {
  const claimed = isExecuting(stage) ? stage.claim : null;
  return { execution: claimed?.execution ?? "e", usage: null, session: null };
}

const fakeTree = (run: ActiveRun): string => `${run.index}${currentPhase(run)?.attempts ?? 0}`.padStart(40, "a");

const outcomes: { readonly [S in ReturnType<typeof currentStep>]: (run: ActiveRun) => Outcome } = {
  prepare: () => ({ of: "prepare" }),
  baseline: () => ({ of: "baseline", result: null }),
  enter: () => ({ of: "enter", commit: COMMIT, tree: COMMIT, standing }),
  produce: (run) => ({
    of: "produce",
    ...execution(run),
    result: { status: "done", summary: "done", decisions: [], artifacts: ["a.md"], questions: [] },
  }),
  check: () => ({
    of: "check",
    results: [{ name: "artifacts", ok: true, detail: "" }],
    digest: "",
    testsChanged: null,
  }),
  review: (run) => ({
    of: "review",
    ...execution(run),
    verdict: { approved: true, issues: [], summary: "fine" },
    changed: null,
  }),
  complete: (run) => ({
    of: "complete",
    made: {
      artifacts: ["a.md"],
      changed: [{ path: "a.md", change: "added" }],
      changedSinceSeen: null,
      unexpected: [],
      tree: fakeTree(run),
      lines: 200,
      commitTree: fakeTree(run),
      proposedCommit: COMMIT,
      standing,
      notices: [],
    },
    settings: { is: "set", enabled: true, phases: "all", minimal: false },
    digest: `shown ${run.seq}`,
  }),
  recheck: (run) => ({
    of: "recheck",
    edited: [],
    tree: currentPhase(run)?.made?.tree ?? null,
    results: [],
    digest: "again",
  }),
  commit: (run) => {
    const { proposedCommit = COMMIT } = currentPhase(run)?.made ?? {};
    return { of: "commit", commit: proposedCommit };
  },
  measure: () => ({
    of: "measure",
    sizing: { recommended: "light", rationale: "", metrics: null, source: null },
  }),
  refine: (run) => ({ of: "refine", ...execution(run), artifact: `${run.run.item}/tasks.md`, tasks: 3, problems: [] }),
  rewind: () => ({ of: "rewind", kept: null, restored: [], commit: null }),
  finish: () => ({ of: "finish", merged: null }),
};

/** The answer that continues the run, by a user who may give it. */
export function answerTo(run: ActiveRun, wait: Wait): PersonCommand {
  const by = { name: "bob", channel: "token" } as const;
  switch (wait.kind) {
    case "gate":
      return { do: "continue", by, wait: wait.id, shown: wait.digest };
    case "questions":
      return { do: "reply", by, wait: wait.id, replies: wait.questions.map(({ id }) => ({ id, text: "yes" })) };
    case "escalation":
      return { do: "retry", by, wait: wait.id };
    case "sizing":
      return { do: "size", by, wait: wait.id, choice: "standard" };
    case "budget":
      return { do: "raise", by, wait: wait.id, budget: { usd: null, tokens: null } };
    case "finish":
      return { do: "finish", by, wait: wait.id, how: "keep" };
    default:
      return wait satisfies never;
  }
}

export const findWait = (state: RunState): Wait | null => {
  const now = next(state);
  return now.is === "wait" ? now.wait : null;
};
