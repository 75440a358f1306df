import { readFileSync } from "node:fs";

/** What Linux tells of a process in one small file. */
export type ProcStat = {
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
export const isDeadState = (state: string): boolean => DEAD_STATES.has(state);

/** Null where nothing is told: it is gone, belongs to someone else, or the system has no such files. */
export function readStat(pid: number, root = "/proc"): ProcStat | null {
  const text = readOrNull(`${root}/${pid}/stat`);
  if (text === null) return null;
  // The name in brackets may hold anything, brackets and spaces included: fields are counted from the last bracket.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
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
export function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
