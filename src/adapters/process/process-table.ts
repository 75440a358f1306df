import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../schema/facts.ts";
import { childProcess } from "./node-child-process.ts";

/** A live process, identified by number and start time together, because numbers are reused. */
export type ProcessFacts = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Null if the system does not report it. */
  readonly session: number | null;
  /** Controlling terminal as the system's device number or name; null without one. */
  readonly terminal: string | null;
  readonly started: string;
};

/** Process information of the system. Zombies count as exited. */
export interface ProcessTable {
  /** Changes with every boot of the machine; "unknown" if the system does not report it. */
  boot(): string;
  /**
   * Returns all processes. Those that started before `since`, like their parents, may come from a cache: they cannot
   * belong to a later process.
   */
  all(since?: string | null): readonly ProcessFacts[];
  one(pid: number): ProcessFacts | null;
  /** `NAME=value` entries at the start of the program; null without permission. */
  environment(pid: number): readonly string[] | null;
  /** Program and arguments as reported by the process; null if it exited. */
  command(pid: number): readonly string[] | null;
  /** Start time in milliseconds since the epoch; null if unknown. */
  startedAt(facts: ProcessFacts): number | null;
  /** True if the process certainly started before the given start time. */
  isOlder(facts: ProcessFacts, started: string): boolean;
}

/** Returns the identity of a live process, for claims; null if it exited. */
export function findIdentity(table: ProcessTable, pid: number): ProcessIdentity | null {
  const facts = table.one(pid);
  return facts === null ? null : { pid, started: facts.started, boot: table.boot() };
}

/** Returns true while exactly this process lives, not another with its number. */
export function isAlive(table: ProcessTable, process: ProcessIdentity): boolean {
  const found = findIdentity(table, process.pid);
  return found !== null && isSameProcess(found, process);
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.started === other.started && one.boot === other.boot;

/** Shared by the whole program, because it caches. */
export const systemProcessTable = (): ProcessTable =>
  (system ??= existsSync("/proc/self/stat") ? procFileTable() : psTable());

let system: ProcessTable | undefined;

/** Linux: one small file per process. */
export function procFileTable(root = "/proc"): ProcessTable {
  const one = (pid: number): ProcessFacts | null => {
    const { isDead = true, ...facts } = readStat(pid, root) ?? {};
    return isDead ? null : (facts as ProcessFacts); // all fields are set unless it is dead
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

/** Processes that started before `since`, by number. Their number only decreases: one scan finds all. */
type Elders = { readonly since: string | null; readonly known: ReadonlyMap<number, Elder> };

/** The inode of the process folder shows if the number still belongs to the same process. */
type Elder = { readonly facts: ProcessFacts; readonly inode: number };

type InodeQuery = Pick<ProcessTable, "one"> & { readonly since: string | null; readonly root: string };

function eldersAmong(pids: readonly number[], { since, root, one }: InodeQuery): ReadonlyMap<number, Elder> {
  const known = new Map<number, Elder>();
  for (const pid of since === null ? [] : pids) {
    const inode = readInode(pid, root); // read first: a process that proves older already had it then
    const facts = one(pid);
    if (since !== null && inode !== null && facts !== null && beganBefore(facts, since))
      known.set(pid, { facts, inode });
  }
  return known;
}

/**
 * Returns cached facts that are still valid, for one scan. Reading an inode takes half the time of reading the facts.
 * If the parent exited, the process has a new one, and the old parent's number may be reused.
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

/** Other systems: output of `ps`. No sessions, and environments only as far as `ps` shows them. */
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
    isOlder: () => false, // whole seconds, computed again by each `ps`
  };
}

/** The kernel counts start times in ticks: 100 per second on all current ports. */
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

/** A fixed path: a program on the `PATH` could be an agent's and hide agents. */
const PS_PROGRAM = "/bin/ps";

function ps(args: readonly string[]): readonly string[] {
  try {
    const options = { encoding: "utf8", env: { LC_ALL: "C" }, maxBuffer: 64 * 1024 * 1024 } as const;
    return childProcess()
      .execFileSync(PS_PROGRAM, args, { ...options, stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch {
    return []; // no such process, or no ps
  }
}

/** Fields of `/proc/<pid>/stat`. */
type ProcStat = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The system's number of its controlling terminal; null without one. */
  readonly terminal: string | null;
  /** Clock ticks since boot. */
  readonly started: string;
  /** True for a zombie. */
  readonly isDead: boolean;
};

const DEAD_STATES = new Set(["Z", "X", "x"]);
const isDeadState = (state: string): boolean => DEAD_STATES.has(state);

/** Returns null if the process exited or belongs to another user, or the system has no such files. */
export function readStat(pid: number, root = "/proc"): ProcStat | null {
  const text = readOrNull(`${root}/${pid}/stat`);
  if (text === null) return null;
  // The name in brackets may contain anything, including brackets and spaces: fields are counted from the last bracket.
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

/** Returns an id that changes with every boot, or null if the system does not report it. */
export const readBoot = (root = "/proc"): string | null =>
  readOrNull(`${root}/sys/kernel/random/boot_id`)?.trim() ?? null;

/** Returns null if the process exited or belongs to another user. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
