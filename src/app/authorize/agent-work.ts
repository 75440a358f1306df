import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { AgentWork, Span } from "../../ports/callers.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { ProcessIdentity } from "../../schema/facts.ts";
import { currentRun } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";

/** Collects agent activity in this working tree: of its run and of the analyses of its items. */
export async function agentWork(project: Project, state: RunState): Promise<AgentWork> {
  const others = await Promise.all(project.siblings().map(async (one) => workIn(one, await readState(one))));
  const works = [await workIn(project, state), ...others];
  const spans = works.flatMap((work) => work.spans).toSorted((one, other) => one.since - other.since);
  const last = spans.at(-1);
  const startedIn = state.is === "active" ? state.run.view : undefined;
  return {
    drivers: works.flatMap((work) => work.drivers),
    agentRunningSince: last?.since ?? null,
    agentRunningUntil: last?.until ?? null,
    earlierWork: spans.slice(0, -1),
    ...(startedIn === undefined ? {} : { startedIn }),
    livingSessions: works.flatMap((work) => work.sessions.map(({ pid }) => pid)),
  };
}

async function readState(project: Project): Promise<RunState> {
  try {
    return (await currentRun(project)).state;
  } catch (error) {
    if (error instanceof ProblemError) return noRun; // that journal's error is reported to its own users
    throw error;
  }
}

type TreeWork = {
  readonly drivers: readonly ProcessIdentity[];
  readonly spans: readonly Span[];
  /** Live sessions, and when they started to work. */
  readonly sessions: readonly LivingSession[];
};

async function workIn(project: Project, state: RunState): Promise<TreeWork> {
  if (state.is !== "active") return { drivers: [], spans: [], sessions: [] };
  const events = await project.journal.events(state.run.run);
  const recorded = events.flatMap((event) => (event.type === "execution.started" ? [event.claim.driver] : []));
  const sessions = events.flatMap((event) => livingSession(project, event));
  return {
    drivers: [...recorded, ...listDrivers(project)],
    spans: [...workSpans(events), ...sessions.map(({ span }) => span)],
    sessions,
  };
}

type LivingSession = { readonly pid: number; readonly span: Span };

function livingSession({ callers }: Project, event: RunEvent): LivingSession[] {
  if (event.type !== "execution.started" || event.claim.session === undefined) return [];
  const { driver } = event.claim;
  return callers.isAlive(driver) ? [{ pid: driver.pid, span: { since: Date.parse(event.at), until: null } }] : [];
}

/**
 * Returns the driver as a possible parent: hooks and tests left by an agent run under it, even if it claims no
 * execution.
 */
function listDrivers({ driver, callers }: Project): ProcessIdentity[] {
  const pid = driver.holder();
  const found = pid === null ? null : callers.processAt(pid);
  return found === null ? [] : [found];
}

const RESTS: ReadonlySet<RunEvent["type"]> = new Set([
  "gate.opened",
  "questions.asked",
  "step.escalated",
  "finish.asked",
  "run.finished",
  "run.cancelled",
]);

/**
 * Returns the times when agent code could run: from the start of an execution until the run waits or ends, and from an
 * answer until the next wait, because tests and hooks left by an agent run then, too. The time of a wait is excluded.
 */
export function workSpans(events: readonly RunEvent[]): readonly Span[] {
  const spans: Span[] = [];
  let since: number | null = null;
  for (const event of events) {
    if (since === null && begins(event, spans.length > 0)) since = Date.parse(event.at);
    if (since === null || !RESTS.has(event.type)) continue;
    spans.push({ since, until: Date.parse(event.at) });
    since = null;
  }
  return since === null ? spans : [...spans, { since, until: null }];
}

function begins(event: RunEvent, hasWorked: boolean): boolean {
  if (event.type === "execution.started") return true;
  const pauses = event.type === "gate.answered" && event.choice === "review";
  return hasWorked && !pauses && event.type !== "supervision.loosened" && !RESTS.has(event.type);
}
