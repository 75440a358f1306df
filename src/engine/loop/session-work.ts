import type { Report } from "../../core/command.ts";
import { currentAttempt, isWriting, currentTicket } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase, isExecuting, type RunState } from "../../core/run.ts";
import type { AgentResult } from "../../schema/agent.ts";
import type { Claim, ProcessIdentity } from "../../schema/facts.ts";
import type { AttemptId, ExecutionId, PhaseKey } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";
import { judgeTasks } from "../steps/after-phase.ts";
import { writingAssignment } from "../steps/assignments.ts";
import { giveUp, startTree, submitClaim, withLeftTree, withoutSecrets, withUserEdits } from "../steps/executions.ts";
import { recordPhaseStart, recordReviews } from "../steps/feature-record.ts";
import { executionLimits } from "../steps/run-agent.ts";

/** Session of an agent product that works on phases itself. */
export type SessionWorker = {
  readonly id: string;
  readonly host: string | null;
  /** Process that hosts the session. */
  readonly process: ProcessIdentity;
  /** MCP server of this session, if `process` is shared by several sessions. */
  readonly server?: ProcessIdentity;
};

/** Work given to a session, and the nonce for its report. */
export type SessionTask = {
  readonly execution: ExecutionId;
  readonly attempt: AttemptId;
  readonly phase: PhaseKey;
  readonly nonce: string;
  readonly iteration: number;
  readonly persona: string;
  readonly prompt: string;
  readonly artifacts: readonly string[];
};

/** Returns true if a session does the current step. The loop then stops until the session reports. */
export function isLeftToSession(engine: Engine, run: ActiveRun): boolean {
  const phase = currentPhase(run);
  return phase !== undefined && isWriting(run) && engine.isSessionWork(phase.rule.key);
}

/**
 * Gives the due work to the session; if it already holds the claim, it gets the same work again. Takes over a claim
 * whose session ended or went silent. Returns null if the run has no work for a session now.
 * @throws ProblemError SESSION_HOLDS while another session works.
 */
export async function claimForSession(engine: Engine, session: SessionWorker): Promise<SessionTask | null> {
  for (;;) {
    const { state } = await engine.journal.load(engine.run);
    if (state.is !== "active" || !isLeftToSession(engine, state) || !isExecuting(state.stage)) return null;
    const { claim } = state.stage;
    if (claim === null) {
      recordPhaseStart(engine, state);
      await recordReviews(engine, state);
      if (!(await claimed(engine, state, session))) return null;
      engine.sessions.begin(session.id);
      continue;
    }
    if (claim.session?.id === session.id) return buildTask(engine, state, claim);
    refuseWhileHeld(engine, state);
    const lost = await giveUp(engine, { run: state }, claim);
    await engine.journal.submit(engine.run, lost);
  }
}

/** @throws ProblemError SESSION_HOLDS if a live session works on the current phase. */
export function refuseWhileHeld(engine: Pick<Engine, "processes" | "sessions">, run: ActiveRun): void {
  const { stage } = run;
  const claim = isExecuting(stage) ? stage.claim : null;
  const phase = currentPhase(run);
  if (claim?.session === undefined || phase === undefined) return;
  const owners = [claim.driver, claim.session.server ?? claim.driver];
  if (!owners.every((owner) => engine.processes.isAlive(owner))) return;
  const silence = (engine.sessions.silentFor(claim.session.id) ?? 0) / 1000;
  if (silence > executionLimits(run, phase).silence) return;
  throw new ProblemError({ code: "SESSION_HOLDS", session: claim.session.id, phase: phase.rule.key });
}

async function claimed(engine: Engine, run: ActiveRun, worker: SessionWorker): Promise<boolean> {
  const { id, host, process, server } = worker;
  const { known, tree } = await withUserEdits(engine, run);
  const assignment = await writingAssignment(engine, known);
  const phase = currentPhase(run);
  if (assignment === null || phase === undefined) return false;
  const execution = `${currentAttempt(run) ?? phase.rule.key}.${phase.executions + 1}`;
  const session = { id, host, ...(server === undefined ? {} : { server }) };
  const claim: Claim = { execution, nonce: engine.newNonce(), driver: process, session };
  const prompt = assignment.persona.length + assignment.prompt.length;
  return (await submitClaim(engine, currentTicket(run), { claim, prompt, ...startTree(tree) })) !== null;
}

async function buildTask(engine: Engine, run: ActiveRun, { execution, nonce }: Claim): Promise<SessionTask | null> {
  const assignment = await writingAssignment(engine, run);
  const phase = currentPhase(run);
  if (assignment === null || phase === undefined) return null;
  const { persona, prompt, artifacts, iteration } = assignment;
  const attempt = currentAttempt(run) ?? phase.rule.key;
  return { execution, attempt, phase: phase.rule.key, nonce, iteration, persona, prompt, artifacts };
}

export type SessionReport = { readonly nonce: string; readonly result: AgentResult };

/**
 * Records a session's report. None of it is trusted: checks, reviewer and gate follow.
 * @throws ProblemError NOT_HELD if the report is not from the session that holds the phase.
 */
export async function recordSessionReport(engine: Engine, { nonce, result }: SessionReport): Promise<void> {
  const { state } = await engine.journal.load(engine.run);
  const claim = heldBy(state, nonce);
  if (claim === null || state.is !== "active") throw new ProblemError({ code: "NOT_HELD" });
  const report = await buildReport(engine, state, { claim, result });
  const recorded = await engine.journal.submit(engine.run, report); // its ticket fits only this claim
  if (!recorded.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: recorded.refusal });
}

function heldBy(state: RunState, nonce: string): Claim | null {
  if (state.is !== "active" || state.wait !== null || !isExecuting(state.stage)) return null;
  const { claim } = state.stage;
  return claim?.session !== undefined && claim.nonce === nonce ? claim : null;
}

type ReportedResult = { readonly claim: Claim; readonly result: AgentResult };

async function buildReport(engine: Engine, run: ActiveRun, { claim, result }: ReportedResult): Promise<Report> {
  const { execution, session } = claim;
  const isGuarded = session !== undefined && engine.sessions.isGuarded(session.id);
  const produced = {
    of: "produce" as const,
    result: withoutSecrets(result, engine.redact),
    execution,
    usage: null,
    session: null,
    ...(isGuarded ? {} : { unguarded: UNGUARDED }),
  };
  const outcome = run.stage.is === "refining" ? judgeTasks(engine, run, produced) : produced;
  return withLeftTree(engine, run, { do: "report" as const, ticket: currentTicket(run), outcome });
}

const UNGUARDED = "Made in a session whose isdlc hooks were not seen at work: nothing held it back while it wrote.";
