import type { AgentWork, Caller, Span } from "../../ports/callers.ts";
import type { Claim } from "../../schema/facts.ts";
import type { Person } from "../../schema/people.ts";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessFacts, ProcessTable } from "../process/process-table.ts";
import { HOST_MARKERS, OWN_MARKERS } from "./agent-markers.ts";

/** What there is to look at; `systemSurroundings` gives the real ones. */
export type Surroundings = {
  readonly env: Environment;
  readonly table: ProcessTable;
  readonly pid: number;
  readonly userName: string;
  /** Input and at least one output are a terminal. */
  readonly isInteractive: boolean;
  readonly terminalName: string | null;
};

export function identifyCaller(surroundings: Surroundings, run: AgentWork): Caller {
  const evidence = markerIn(surroundings.env) ?? ownAncestor(surroundings, run.drivers);
  if (evidence !== null) return { kind: "agent", evidence };
  const facts = surroundings.table.one(surroundings.pid);
  if (!surroundings.isInteractive || facts === null || facts.terminal === null) return { kind: "nobody" };
  const suspicious = suspicionOf(surroundings, run);
  const terminal = surroundings.terminalName ?? facts.terminal;
  const origin = { pid: facts.pid, session: facts.session, terminal };
  const person: Person = { name: surroundings.userName, channel: "terminal", origin };
  return { kind: "person", person: suspicious === null ? person : { ...person, suspicious } };
}

/**
 * Why this process may be an agent's in disguise; null where nothing speaks for it. Not seen: a process that hid from
 * the run and started itself anew while no agent worked.
 */
export function suspicionOf(surroundings: Surroundings, run: AgentWork): string | null {
  const facts = surroundings.table.one(surroundings.pid);
  return hostAncestor(surroundings) ?? (facts === null ? null : lateSession(surroundings, facts, run));
}

/** An empty value counts as taken out, as shells and our own tests do it. */
function markerIn(env: Environment): string | null {
  const found = [...OWN_MARKERS, ...HOST_MARKERS].find((name) => (env[name] ?? "") !== "");
  return found === undefined ? null : `${found} is set`;
}

/** Environments can be emptied and inherited ones are not changed by that: the ancestors still carry theirs. */
function ownAncestor({ table, pid }: Surroundings, drivers: readonly Claim["driver"][]): string | null {
  for (const facts of lineage(table, pid)) {
    const marker = markerOf(table, facts, OWN_MARKERS);
    if (marker !== null) return `process ${facts.pid} above it carries ${marker}`;
    const isDriver = drivers.some(
      (driver) => driver.pid === facts.pid && driver.started === facts.started && driver.boot === table.boot(),
    );
    if (isDriver) return `process ${facts.pid} above it runs agents`;
  }
  return null;
}

function hostAncestor({ table, pid }: Surroundings): string | null {
  for (const facts of lineage(table, pid)) {
    const marker = markerOf(table, facts, HOST_MARKERS);
    if (marker !== null) return `process ${facts.pid} above it carries ${marker}`;
  }
  return null;
}

function markerOf(table: ProcessTable, facts: ProcessFacts, markers: readonly string[]): string | null {
  const entries = table.environment(facts.pid) ?? [];
  return markers.find((name) => entries.some((entry) => entry.startsWith(`${name}=`) && entry !== `${name}=`)) ?? null;
}

/** Deeper ancestries do not occur, short of someone building one. */
const DEEPEST = 200;

/** Ancestors, nearest first, and the leaders of group and session, which stay when the parent has gone. */
function lineage(table: ProcessTable, pid: number): readonly ProcessFacts[] {
  const self = table.one(pid);
  const above: ProcessFacts[] = [];
  for (let facts = self; facts !== null && facts.parent > 0 && above.length < DEEPEST;) {
    facts = table.one(facts.parent);
    if (facts !== null) above.push(facts);
  }
  const leaders = [self?.group, self?.session].flatMap((leader) =>
    typeof leader === "number" && leader > 0 && leader !== pid ? (table.one(leader) ?? []) : [],
  );
  return [...above, ...leaders];
}

function lateSession({ table, pid }: Surroundings, self: ProcessFacts, run: AgentWork): string | null {
  const spans = spansOf(run);
  if (spans.length === 0) return null;
  const leader = self.session === null ? topOfTerminal(table, pid, self) : table.one(self.session);
  const opener = leader ?? memberFromBefore(table, self, spans);
  const opened = opener === null ? null : table.startedAt(opener);
  if (opener === null || opened === null) return "nobody can tell when this terminal session was opened";
  if (isDuring(opened, spans)) return "this terminal session was opened while an agent was at work";
  const late = lineage(table, opener.pid).find((facts) => isDuring(table.startedAt(facts), spans));
  return late === undefined ? null : `process ${late.pid} above it began while an agent was at work`;
}

function spansOf({ agentRunningSince: since, agentRunningUntil: until = null, earlierWork = [] }: AgentWork) {
  return since === null ? earlierWork : [...earlierWork, { since, until }];
}

const isDuring = (time: number | null, spans: readonly Span[]): boolean =>
  time !== null && spans.some(({ since, until }) => time >= since && time <= (until ?? Infinity));

/** A session is as old as its oldest member: where its leader is gone, as on build servers, an ancestor can vouch for it. */
function memberFromBefore(table: ProcessTable, self: ProcessFacts, spans: readonly Span[]): ProcessFacts | null {
  const isBefore = (time: number | null): boolean => time !== null && spans.every(({ since }) => time < since);
  const members = lineage(table, self.pid).filter(({ session }) => session === self.session);
  return members.find((facts) => isBefore(table.startedAt(facts))) ?? null;
}

/** Where sessions are not told: the topmost ancestor on the same terminal. */
function topOfTerminal(table: ProcessTable, pid: number, self: ProcessFacts): ProcessFacts {
  return lineage(table, pid).findLast((facts) => facts.terminal === self.terminal) ?? self;
}
