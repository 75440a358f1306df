import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../schema/facts.ts";
import { childProcess } from "./node-child-process.ts";

/** One living process. Number and start time together name it; the number alone may be used again. */
export type ProcessFacts = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Null where the system does not tell. */
  readonly session: number | null;
  /** Controlling terminal as the system's device number or name; null without one. */
  readonly terminal: string | null;
  readonly started: string;
};

/** What the system tells about its processes. Zombies count as gone. */
export interface ProcessTable {
  /** Changes with every start of the machine; "unknown" where the system does not tell. */
  boot(): string;
  /**
   * Of those that began before `since`, as their parents did, an earlier answer may be given again: they are nobody's who
   * began later.
   */
  all(since?: string | null): readonly ProcessFacts[];
  one(pid: number): ProcessFacts | null;
  /** `NAME=value` entries the program was started with; null when we may not look. */
  environment(pid: number): readonly string[] | null;
  /** Program and arguments as the process tells them; null when it is gone. */
  command(pid: number): readonly string[] | null;
  /** Wall time in milliseconds at which the process began; null when unknown. */
  startedAt(facts: ProcessFacts): number | null;
  /** True if it surely began before a process that started then. */
  isOlder(facts: ProcessFacts, started: string): boolean;
}

/** Names a living process, for claims; null when it is gone. */
export function findIdentity(table: ProcessTable, pid: number): ProcessIdentity | null {
  const facts = table.one(pid);
  return facts === null ? null : { pid, started: facts.started, boot: table.boot() };
}

/** True while that very process lives, and not another with its number. */
export function isAlive(table: ProcessTable, process: ProcessIdentity): boolean {
  const found = findIdentity(table, process.pid);
  return found !== null && isSameProcess(found, process);
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.started === other.started && one.boot === other.boot;

/** One for the whole program, for what it remembers. */
export const systemProcessTable = (): ProcessTable =>
  (system ??= existsSync("/proc/self/stat") ? procFileTable() : psTable());

let system: ProcessTable | undefined;

/** Linux: one small file per process. */
export function procFileTable(root = "/proc"): ProcessTable {
  const one = (pid: number): ProcessFacts | null => {
    const { isDead = true, ...facts } = readStat(pid, root) ?? {};
    return isDead ? null : (facts as ProcessFacts); // only what was told is not dead
  };
  let elders: Elders = { since: null, known: new Map() };
  return {
    boot: () => readBoot(root) ?? "unknown",
    all: (since = null) => {
      const pids = processNumbers(root);
      if (since !== elders.since) elders = { since, known: eldersAmong(pids, { since, root, one }) };
      const known = knownElders(elders, root);
      return pids.flatMap((pid) => known(pid) ?? one(pid) ?? []);
    },
    one,
    environment: (pid) => readOrNull(`${root}/${pid}/environ`)?.split("\0") ?? null,
    command: (pid) => readOrNull(`${root}/${pid}/cmdline`)?.replace(/\0$/, "").split("\0") ?? null,
    startedAt: (facts) => {
      const uptime = Number(readOrNull(`${root}/uptime`)?.split(" ")[0]);
      return Number.isFinite(uptime)
        ? Date.now() - uptime * 1000 + Number(facts.started) * MILLISECONDS_PER_TICK
        : null;
    },
    isOlder: beganBefore,
  };
}

const beganBefore = (facts: ProcessFacts, started: string): boolean => Number(facts.started) < Number(started);

/** Who began before `since`, by number. They only become fewer, so that one look finds all of them. */
type Elders = { readonly since: string | null; readonly known: ReadonlyMap<number, Elder> };

/** The inode of its folder is its own: it tells whether the number still is. */
type Elder = { readonly facts: ProcessFacts; readonly inode: number };

type InodeQuery = Pick<ProcessTable, "one"> & { readonly since: string | null; readonly root: string };

function eldersAmong(pids: readonly number[], { since, root, one }: InodeQuery): ReadonlyMap<number, Elder> {
  const known = new Map<number, Elder>();
  for (const pid of since === null ? [] : pids) {
    const inode = readInode(pid, root); // asked first: who turns out to be older had it then
    const facts = one(pid);
    if (since !== null && inode !== null && facts !== null && beganBefore(facts, since))
      known.set(pid, { facts, inode });
  }
  return known;
}

/**
 * What is still so of an elder, for one look. Asking for the inode takes half as long as reading what else the system
 * tells. One whose parent is gone has another by now, and the number of the old one may be anybody's.
 */
function knownElders({ known }: Elders, root: string): (pid: number) => ProcessFacts | null {
  const asked = new Map<number, ProcessFacts | null>();
  const ask = (pid: number): ProcessFacts | null => {
    const elder = known.get(pid);
    if (elder === undefined || readInode(pid, root) !== elder.inode) return null;
    return elder.facts.parent === 0 || askOnce(elder.facts.parent) !== null ? elder.facts : null;
  };
  function askOnce(pid: number): ProcessFacts | null {
    const told = asked.get(pid);
    if (told !== undefined) return told;
    const facts = ask(pid);
    asked.set(pid, facts);
    return facts;
  }
  return askOnce;
}

function readInode(pid: number, root: string): number | null {
  try {
    return lstatSync(`${root}/${pid}`).ino;
  } catch {
    return null;
  }
}

/** Other systems: what `ps` prints. No sessions, and environments only as far as `ps` shows them. */
export function psTable(): ProcessTable {
  const columns = "pid=,ppid=,pgid=,tty=,stat=,lstart=";
  return {
    boot: () => "unknown",
    all: () => ps(["-A", "-o", columns]).flatMap((line) => parsePsLine(line) ?? []),
    one: (pid) => parsePsLine(ps(["-o", columns, "-p", String(pid)])[0] ?? ""),
    environment: (pid) => ps(["eww", "-o", "command=", "-p", String(pid)])[0]?.split(" ") ?? null,
    command: (pid) => ps(["-o", "command=", "-p", String(pid)])[0]?.split(" ") ?? null,
    startedAt: (facts) => {
      const time = Date.parse(facts.started);
      return Number.isNaN(time) ? null : time;
    },
    isOlder: () => false, // whole seconds, and worked out anew by each `ps`
  };
}

/** The kernel counts start times in ticks of its user interface, which is 100 per second on every current port. */
const MILLISECONDS_PER_TICK = 10;

function parsePsLine(line: string): ProcessFacts | null {
  const [pid, parent, group, terminal, state, ...started] = line.trim().split(/\s+/);
  if (terminal === undefined || state === undefined || started.length === 0) return null;
  if (isDeadState(state.charAt(0))) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: null,
    terminal: terminal.startsWith("?") ? null : terminal,
    started: started.join(" "),
  };
}

function processNumbers(root: string): readonly number[] {
  return readdirSync(root)
    .filter((name) => name >= "1" && name < ":")
    .map(Number);
}

/** A fixed path: a program on the `PATH` could be an agent's, and show no agent. */
const PS_PROGRAM = "/bin/ps";

function ps(args: readonly string[]): readonly string[] {
  try {
    const options = { encoding: "utf8", env: { LC_ALL: "C" }, maxBuffer: 64 * 1024 * 1024 } as const;
    return childProcess()
      .execFileSync(PS_PROGRAM, args, { ...options, stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch {
    return []; // no such process, or no ps at all
  }
}

/** What Linux tells of a process in one small file. */
type ProcStat = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The system's number of its controlling terminal; null without one. */
  readonly terminal: string | null;
  /** Clock ticks since the machine was started. */
  readonly started: string;
  /** True for one that only waits to be reaped. */
  readonly isDead: boolean;
};

const DEAD_STATES = new Set(["Z", "X", "x"]);
const isDeadState = (state: string): boolean => DEAD_STATES.has(state);

/** Null where nothing is told: it is gone, belongs to someone else, or the system has no such files. */
export function readStat(pid: number, root = "/proc"): ProcStat | null {
  const text = readOrNull(`${root}/${pid}/stat`);
  if (text === null) return null;
  // The name in brackets may hold anything, brackets and spaces included: fields are counted from the last bracket.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", 20);
  const [state, parent, group, session, terminal] = fields;
  const started = fields[19];
  if (state === undefined || started === undefined) return null;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: terminal === undefined || terminal === "0" ? null : terminal,
    started,
    isDead: isDeadState(state),
  };
}

/** Changes with every start of the machine; null where the system does not tell. */
export const readBoot = (root = "/proc"): string | null =>
  readOrNull(`${root}/sys/kernel/random/boot_id`)?.trim() ?? null;

/** Null when the process is gone or belongs to someone else. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
