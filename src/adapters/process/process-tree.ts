import { setTimeout as delay } from "node:timers/promises";
import { NONCE_VARIABLE } from "./agent-environment.ts";
import type { ProcessFacts, ProcessTable } from "./process-table.ts";

/** The processes that belong to one execution of an agent. */
export interface ProcessTree {
  /** Remembers who belongs to it now, so that a member that cuts its ties later is still known. */
  look(): readonly ProcessFacts[];
  /** Ends everyone: SIGTERM, after the grace SIGKILL. Resolves with the numbers of those that would not go. */
  end(): Promise<readonly number[]>;
}

export type FamilyOptions = {
  readonly table: ProcessTable;
  readonly nonce: string;
  /** Number of the first process of it, which leads a session of its own; null when only the nonce is known. */
  readonly leader: number | null;
  /** When the process began that started all of them; null when unknown. */
  readonly since: string | null;
};

export const GRACE_MILLISECONDS = 2000;
/** A process that SIGKILL does not end hangs in the kernel; waiting longer would not help. */
const END_TIMEOUT_MS = 10_000;

/**
 * Members are: the leader's group and session, everyone who carries the nonce, their groups, all their descendants,
 * and whoever was once seen to be one. What escapes: a process that left group, session and parent and dropped its
 * environment between two looks.
 */
export function processTree(options: FamilyOptions): ProcessTree {
  const { table, leader, since } = options;
  const entry = `${NONCE_VARIABLE}=${options.nonce}`;
  const known = new Set<string>();
  /** Most processes are, and need not be asked what they carry. */
  const isOlder = (facts: ProcessFacts): boolean => since !== null && table.isOlder(facts, since);

  const isSeed = (facts: ProcessFacts): boolean =>
    known.has(identity(facts)) ||
    (leader !== null && (facts.pid === leader || facts.group === leader || facts.session === leader)) ||
    (!isOlder(facts) && (table.environment(facts.pid)?.includes(entry) ?? false));

  const look = (): readonly ProcessFacts[] => {
    const members = findMembers(table.all(since), isSeed);
    for (const member of members) known.add(identity(member));
    return members;
  };
  return { look, end: () => endMembers(look) };
}

function findMembers(all: readonly ProcessFacts[], isSeed: (facts: ProcessFacts) => boolean): readonly ProcessFacts[] {
  const spared = ourselvesAndAncestors(all);
  const sparedGroups = new Set(all.filter((facts) => spared.has(facts.pid)).map((facts) => facts.group));
  const others = all.filter((facts) => !spared.has(facts.pid));
  const members = new Map(others.filter(isSeed).map((facts) => [facts.pid, facts]));
  const groups = new Set<number>();
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { group } of members.values()) if (group > 1 && !sparedGroups.has(group)) groups.add(group);
    for (const facts of others) if (members.has(facts.parent) || groups.has(facts.group)) members.set(facts.pid, facts);
  }
  return [...members.values()];
}

function ourselvesAndAncestors(all: readonly ProcessFacts[]): ReadonlySet<number> {
  const parents = new Map(all.map((facts) => [facts.pid, facts.parent]));
  const spared = new Set([1]);
  for (let pid: number | undefined = process.pid; pid !== undefined && !spared.has(pid); pid = parents.get(pid)) {
    spared.add(pid);
  }
  return spared;
}

async function endMembers(look: () => readonly ProcessFacts[]): Promise<readonly number[]> {
  const began = performance.now();
  const asked = new Set<string>();
  let forcedAt: number | null = null; // a look can take longer than all patience, so that it counts from the first SIGKILL
  for (let pause = 5; ; pause = Math.min(pause * 2, 160)) {
    const members = look();
    const now = performance.now();
    if (members.length === 0) return [];
    if (forcedAt !== null && now - forcedAt > END_TIMEOUT_MS) return members.map((member) => member.pid);
    const isForced = now - began >= GRACE_MILLISECONDS;
    for (const member of members) {
      if (isForced) send(member.pid, "SIGKILL");
      else if (!asked.has(identity(member))) send(member.pid, "SIGTERM");
      asked.add(identity(member));
    }
    if (isForced) forcedAt ??= performance.now();
    await delay(pause);
  }
}

const identity = (facts: ProcessFacts): string => `${facts.pid}@${facts.started}`;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return; // gone in the meantime, or not ours to end: the next look tells
  }
}
