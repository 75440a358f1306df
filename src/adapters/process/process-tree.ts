import { setTimeout as delay } from "node:timers/promises";
import type { ProcessFacts, ProcessTable } from "./process-table.ts";
import { NONCE_VARIABLE } from "./child-environment.ts";

/** Processes of one execution of an agent. */
export interface ProcessTree {
  /** Records the current members. A member that detaches later is still known. */
  look(): readonly ProcessFacts[];
  /**
   * Ends all members with SIGTERM, and after a grace period with SIGKILL. Resolves with the numbers of surviving
   * processes.
   */
  end(): Promise<readonly number[]>;
}

export type FamilyOptions = {
  readonly table: ProcessTable;
  readonly nonce: string;
  /** Number of its first process, which leads a separate session; null if only the nonce is known. */
  readonly leader: number | null;
  /** Start time of the process that started all others; null if unknown. */
  readonly since: string | null;
};

export const GRACE_MILLISECONDS = 2000;
/** A process that survives SIGKILL hangs in the kernel, and longer waiting does not help. */
const END_TIMEOUT_MS = 10_000;

/**
 * Members are the leader's group and session, all processes with the nonce, their groups, all their descendants, and
 * all members of earlier scans. Only a process that leaves group, session and parent and clears its environment
 * between two scans escapes.
 */
export function processTree(options: FamilyOptions): ProcessTree {
  const { table, leader, since } = options;
  const entry = `${NONCE_VARIABLE}=${options.nonce}`;
  const known = new Set<string>();
  /** Avoids reading the environment of most processes. */
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
  let forcedAt: number | null = null; // measured from the first SIGKILL, because a single scan can exceed the timeout
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
    return; // exited in the meantime, or of another user: the next scan shows it
  }
}
