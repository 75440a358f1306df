import { isSameProcess } from "../../core/same-process.ts";
import type { AgentWork, Caller } from "../../ports/callers.ts";
import type { ProcessIdentity } from "../../schema/facts.ts";
import type { Person } from "../../schema/people.ts";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessFacts, ProcessTable } from "../process/process-table.ts";
import { HOST_MARKERS, OWN_MARKERS } from "./agent-markers.ts";
import { type Judgement, judgeTerminal, lineage } from "./judge-terminal.ts";

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
  const judged = judge(surroundings, run);
  if (judged?.is === "refused") return { kind: "suspect", why: judged.why };
  const suspicious = judged?.why;
  const terminal = surroundings.terminalName ?? facts.terminal;
  const origin = { pid: facts.pid, session: facts.session, terminal };
  const person: Person = { name: surroundings.userName, channel: "terminal", origin };
  return { kind: "person", person: suspicious === undefined ? person : { ...person, suspicious } };
}

/** Why this process may be an agent's in disguise; null where nothing speaks for it. */
export const suspicionOf = (surroundings: Surroundings, run: AgentWork): string | null =>
  judge(surroundings, run)?.why ?? null;

function judge(surroundings: Surroundings, run: AgentWork): Judgement {
  const { table, pid } = surroundings;
  const facts = table.one(pid);
  const judged = facts === null ? null : judgeTerminal({ table, pid }, facts, run);
  if (judged?.is === "refused") return judged;
  const why = hostAncestor(surroundings);
  return why === null ? judged : { is: "suspicious", why };
}

/** An empty value counts as taken out, as shells and our own tests do it. */
function markerIn(env: Environment): string | null {
  const found = [...OWN_MARKERS, ...HOST_MARKERS].find((name) => (env[name] ?? "") !== "");
  return found === undefined ? null : `${found} is set`;
}

/** Environments can be emptied and inherited ones are not changed by that: the ancestors still carry theirs. */
function ownAncestor({ table, pid }: Surroundings, drivers: readonly ProcessIdentity[]): string | null {
  for (const facts of lineage(table, pid)) {
    const marker = markerOf(table, facts, OWN_MARKERS);
    if (marker !== null) return `process ${facts.pid} above it carries ${marker}`;
    const above = { pid: facts.pid, started: facts.started, boot: table.boot() };
    if (drivers.some((driver) => isSameProcess(driver, above))) return `process ${facts.pid} above it runs agents`;
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
