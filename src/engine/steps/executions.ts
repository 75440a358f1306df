import { runBegan } from "../../core/changes/last-reviewed-tree.ts";
import { readDeclared } from "../review-facts.ts";
import type { Outcome, Report } from "../../core/command.ts";
import { currentAttempt, currentTicket } from "../../core/next.ts";
import { recordUserEdit } from "../../core/evolve/changes.ts";
import { resolveOutputs } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import { writesCode } from "../../core/changes/unmentioned.ts";
import type { AgentBackend, AgentEnd, AgentTask } from "../../ports/agent-backend.ts";
import type { Claim } from "../../schema/facts.ts";
import type { ExecutionId, Ticket, TreeId } from "../../schema/ids.ts";
import type { Engine, Task } from "../engine.ts";
import { reviewPrompt } from "../prompt.ts";
import { type Assignment, writingAssignment } from "./assignments.ts";
import { recordPhaseStart, recordReviews } from "./feature-record.ts";
import { tellOfWrites, missingPredecessor } from "./review-writes.ts";
import { runAgent, halted, letPass, executionLimits, overtime, tooLong } from "./run-agent.ts";

/** Runs the agent of the phase. */
export async function produce(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Report | null> {
  const { stage } = run;
  const phase = currentPhase(run);
  if (stage.is !== "producing" || phase === undefined) return null;
  recordPhaseStart(engine, run);
  await recordReviews(engine, run);
  const { known, tree } = await withUserEdits(engine, run);
  const assignment = await writingAssignment(engine, known);
  if (assignment === null) return null;
  const job = { run, phase, claim: stage.claim, backend: engine.agents.phase(phase.rule.key), tree };
  return withLeftTree(engine, run, await work(engine, job, { signal, assignment }));
}

/** Adds edits by the user since the last execution, at questions and escalations. `tree`: null if there was no wait. */
export async function withUserEdits(
  engine: Engine,
  run: ActiveRun,
): Promise<{ known: ActiveRun; tree: TreeId | null }> {
  if (run.untouched === null) return { known: run, tree: null };
  const tree = await engine.workspace.snapshot(`${snapshotName(run)}-resumed`, [run.run.item]);
  return { known: recordUserEdit(run, tree), tree };
}

/**
 * Adds the files left by an execution: a user may edit them before the next one, also while the run is stopped. After a
 * draft, only if the agent has exited: the session of a user may continue to write.
 */
export async function withLeftTree<R extends Report | null>(engine: Engine, run: ActiveRun, report: R): Promise<R> {
  const outcome = report?.outcome;
  if (outcome === undefined || "failed" in outcome || !leavesFiles(run, outcome)) return report;
  const snapshot = engine.workspace.snapshot(`${snapshotName(run)}-left`, [run.run.item]);
  const tree = await (outcome.of === "lost" ? snapshot.catch(() => null) : snapshot); // its end is recorded in any case
  return tree === null ? report : { ...report, outcome: { ...outcome, tree } };
}

type LeavingOutcome = Extract<Exclude<Outcome, { failed: string }>, { of: "produce" | "broken" | "lost" }>;

function leavesFiles({ stage }: ActiveRun, outcome: Exclude<Outcome, { failed: string }>): outcome is LeavingOutcome {
  const isBySession = stage.is === "producing" && stage.claim?.session !== undefined;
  if (outcome.of === "produce") return !isBySession || outcome.result.status !== "done";
  return outcome.of === "broken" || outcome.of === "lost";
}

const snapshotName = (run: ActiveRun): string => {
  const phase = currentPhase(run);
  return `${phase?.rule.key ?? "run"}-${phase?.attempts ?? 0}-${phase?.executions ?? 0}`;
};

/** Runs the reviewer in a temporary copy. Changes to the real working tree in the meantime are reported. */
export async function review(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Report | null> {
  const { stage } = run;
  const phase = currentPhase(run);
  if (stage.is !== "reviewing" || phase === undefined) return null;
  const job = { run, phase, claim: stage.claim, backend: engine.agents.reviewer(phase.rule.key) };
  if (stage.claim !== null) return giveUp(engine, job, stage.claim);
  const missing = missingPredecessor(engine, run);
  if (missing !== null) return { do: "report", ticket: currentTicket(run), outcome: { of: "judge", verdict: missing } };
  const named = (verdict: number): string => `${phase.rule.key}-${phase.attempts}-review-${verdict}`;
  const name = named(stage.work.verdicts + 1);
  const before = await engine.workspace.snapshot(name, [run.run.item]);
  const judged = stage.work.verdicts === 0 ? null : await engine.workspace.kept(named(stage.work.verdicts));
  const changed = (await engine.workspace.diff(judged, before))?.map(({ path }) => path) ?? null;
  const copy = await engine.workspace.copy(before);
  try {
    const assignment: Assignment = {
      role: "reviewer",
      persona: engine.persona(phase.rule.reviewer ?? "reviewer"),
      prompt: reviewPrompt(run, phase, {
        draft: stage.draft,
        constitution: engine.constitution(),
        ...(await shownWork(engine, run, { phase, tree: before })),
        revised: changed,
        boundary: `MATERIAL-${engine.newNonce()}`,
      }),
      access: "read",
      cwd: copy.dir,
      session: null,
      iteration: stage.work.verdicts + 1,
      artifacts: resolveOutputs(phase.rule, run.run.item),
    };
    const report = await execute(engine, job, { signal, assignment });
    if (report === null) return null;
    const told = await tellOfWrites(engine.workspace, report, { before, item: run.run.item });
    return told.outcome.of === "review" ? { ...told, outcome: { ...told.outcome, changed } } : told;
  } finally {
    await copy.dispose();
  }
}

type ReviewedPhase = { readonly phase: PhaseRecord; readonly tree: TreeId | null };

/** Returns git's view of the work under review: of a phase that writes code, or of a whole feature at its end. */
async function shownWork(engine: Engine, run: ActiveRun, { phase, tree }: ReviewedPhase) {
  const { workspace } = engine;
  const isWhole = phase.rule.judged === true;
  if (!isWhole && !writesCode(phase)) return { changes: null, patch: "" };
  const from = isWhole ? await findFork(engine, run) : phase.firstTree;
  const changes = await workspace.diff(from, tree);
  if (changes === null) return { changes, patch: "" };
  const patch = engine.redact(await workspace.patch(from, tree));
  const paths = changes.map(({ path }) => path);
  const declared = await readDeclared(workspace, runBegan(run).tree, paths);
  return { changes, patch, facts: { declared, dependencies: new Map() } };
}

/** Returns the fork point of the branch, to leave out later commits on the base. */
async function findFork({ vcs }: Engine, { run }: ActiveRun): Promise<string | null> {
  const { base = null, branch = null, commit = null } = run.git ?? {};
  const fork = base === null || branch === null ? null : ((await vcs?.forkPoint(base, branch)) ?? null);
  return fork ?? commit;
}

type Order = { readonly assignment: Assignment; readonly signal: AbortSignal };

type Job = {
  readonly run: ActiveRun;
  readonly phase: PhaseRecord;
  readonly claim: Claim | null;
  readonly backend: AgentBackend;
  /** Files before the execution, if a user could edit them since the last one. */
  readonly tree?: TreeId | null;
};

/** Runs a writing agent. An analysis works in a scratch copy; only its item's folder is copied back. */
export async function work(engine: Engine, job: Job, order: Order): Promise<Report | null> {
  if (job.run.run.scope !== "item" || job.claim !== null) return execute(engine, job, order);
  const { item } = job.run.run;
  const snapshot = await engine.workspace.now([item]);
  const copy = await engine.workspace.scratchCopy(snapshot, item);
  try {
    const report = await execute(engine, job, { ...order, assignment: { ...order.assignment, cwd: copy.dir } });
    if (report === null || report.outcome.of === "lost") return report;
    const dropped = await copy.copyBack();
    if (report.outcome.of !== "produce" || "failed" in report.outcome || dropped.length === 0) return report;
    return { ...report, outcome: { ...report.outcome, dropped } };
  } finally {
    await copy.dispose();
  }
}

/** Runs one execution. Records the claim first, to find and end the execution after a crash. */
async function execute(engine: Engine, job: Job, { assignment, signal }: Order): Promise<Report | null> {
  if (job.claim !== null) return giveUp(engine, job, job.claim);
  const { run, phase, backend } = job;
  const attempt = currentAttempt(run) ?? phase.rule.key;
  const execution = `${attempt}.${phase.executions + 1}`;
  await letPass(engine, run, signal);
  const claim = { execution, nonce: engine.newNonce(), driver: engine.processes.self() };
  const size = assignment.persona.length + assignment.prompt.length;
  const ticket = await submitClaim(engine, currentTicket(run), { claim, prompt: size, ...startTree(job.tree) });
  if (ticket === null) return null;
  const task: AgentTask = {
    ...assignment,
    attempt,
    ticket,
    phase: phase.rule.key,
    workflow: run.run.workflow,
    item: run.run.item,
    nonce: claim.nonce,
    tests: run.tests?.argv ?? null,
    limits: executionLimits(run, phase),
  };
  const watching = new AbortController();
  const gone = AbortSignal.any([signal, movedOn(engine, ticket, watching.signal)]);
  const late = tooLong(job, watching.signal);
  try {
    const ran = await runAgent(engine, backend, { run, task, execution, signal: AbortSignal.any([gone, late]) });
    const { usage, session } = ran.end;
    const facts = { execution, usage, session };
    if (gone.aborted) return { do: "report", ticket, outcome: { of: "lost", ...facts } };
    if (ran.stop?.why === "budget") {
      const stopped = { reason: OVER_BUDGET, over: { ahead: ran.stop.ahead }, estimated: ran.estimated };
      return { do: "report", ticket, outcome: { of: "lost", ...facts, ...stopped } };
    }
    const end = late.aborted ? overtime(job, ran.end) : halted(ran);
    return { do: "report", ticket, outcome: toOutcome(engine, end, { execution, retries: ran.retries }) };
  } finally {
    watching.abort();
    await engine.processes.endAll(claim.nonce, claim.driver);
  }
}

/** Ends the processes of an execution whose driver exited, and reports it as lost. */
export async function giveUp(engine: Engine, { run }: Pick<Job, "run">, claim: Claim): Promise<Report> {
  await engine.processes.endAll(claim.nonce);
  const { execution } = claim;
  return {
    do: "report",
    ticket: currentTicket(run),
    outcome: { of: "lost", execution, usage: engine.toldUsage(execution) },
  };
}

type ClaimRequest = { readonly claim: Claim; readonly prompt: number; readonly tree?: TreeId };

export const startTree = (tree: TreeId | null | undefined): { tree?: TreeId } => (tree ? { tree } : {});

/** Returns the ticket of the execution, or null if it may not start because the run advanced or its budget is spent. */
export async function submitClaim(engine: Engine, ticket: Ticket, claiming: ClaimRequest): Promise<Ticket | null> {
  const report: Report = { do: "report", ticket, outcome: { of: "claim", ...claiming } };
  const claimed = await engine.journal.submit(engine.run, report);
  return claimed.ok && claimed.state.is === "active" && claimed.state.wait === null
    ? currentTicket(claimed.state)
    : null;
}

/** Aborts if the run advances, for example because the user cancelled it elsewhere. */
function movedOn(engine: Engine, ticket: Ticket, done: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.aborted && !gone.signal.aborted) {
      await engine.journal.changed(engine.run, done);
      const { state } = await engine.journal.load(engine.run);
      if (state.is !== "active" || currentTicket(state) !== ticket) gone.abort();
    }
  };
  void watch().catch(() => gone.abort());
  return gone.signal;
}

const OVER_BUDGET = "stopped for the budget";

type ExecutionReport = { readonly execution: ExecutionId; readonly retries: number };

function toOutcome({ redact }: Engine, end: AgentEnd, { execution, retries }: ExecutionReport): Outcome {
  const { usage, session } = end;
  const facts = { execution, usage, session };
  switch (end.how) {
    case "result": {
      const denied = end.denied === undefined || end.denied.length === 0 ? {} : { denied: end.denied.map(redact) };
      return { of: "produce", result: withoutSecrets(end.result, redact), ...denied, ...facts };
    }
    case "verdict":
      return { of: "review", verdict: withoutSecrets(end.verdict, redact), ...facts };
    case "failed":
      return { of: "broken", reason: end.reason, detail: redact(end.detail), again: end.again, retries, ...facts };
    default:
      return end satisfies never;
  }
}

/** Redacts every string in a result, because it is recorded in the journal and displayed. */
export function withoutSecrets<T>(value: T, redact: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === "string" ? redact(inner) : inner,
  ) as T; // same shape: only strings were replaced
}
