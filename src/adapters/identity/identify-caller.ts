import { basename } from "node:path";
import type { AgentWork, Caller, Span } from "../../ports/callers.ts";
import type { ProcessIdentity, ProcessView } from "../../schema/facts.ts";
import type { Person } from "../../schema/people.ts";
import { isSameProcess, type ProcessFacts, type ProcessTable } from "../process/process-table.ts";
import { HOST_MARKERS, OWN_MARKERS } from "./agent-markers.ts";
import type { Environment } from "../process/child-environment.ts";

/** View of a process on other processes. */
export type OwnView = ProcessView & {
  /** True if only root can have created its namespaces: it runs in the first user namespace, and not as root. */
  readonly isMadeByRoot: boolean;
};

/** Caller context. `systemSurroundings` returns the real one. */
export type Surroundings = {
  readonly env: Environment;
  readonly table: ProcessTable;
  readonly pid: number;
  readonly userName: string;
  /** True if input and at least one output are a terminal. */
  readonly isInteractive: boolean;
  readonly terminalName: string | null;
  /** True if the table and the system call show the same parent of this program. */
  readonly isTableOwn: boolean;
  /** Null if `/proc` is not the system's own. Missing on systems without namespaces. */
  readonly view?: OwnView | null | undefined;
};

export function identifyCaller(surroundings: Surroundings, run: AgentWork): Caller {
  const evidence = markerIn(surroundings.env) ?? ownAncestor(surroundings, run.drivers);
  if (evidence !== null) return { kind: "agent", evidence };
  if (!surroundings.isInteractive) return { kind: "nobody" };
  const unseen = judgeView(surroundings, run);
  if (unseen?.is === "refused") return { kind: "unknown", why: unseen.why };
  const facts = surroundings.table.one(surroundings.pid);
  return facts === null || facts.terminal === null ? { kind: "nobody" } : identifyPerson(surroundings, facts, run);
}

function identifyPerson(surroundings: Surroundings, facts: ProcessFacts, run: AgentWork): Caller {
  const judged = judge(surroundings, run);
  if (judged?.is === "refused") return { kind: "suspect", why: judged.why };
  const suspicious = judged?.why;
  const terminal = surroundings.terminalName ?? facts.terminal;
  const origin = { pid: facts.pid, session: facts.session, terminal };
  const person: Person = { name: surroundings.userName, channel: "terminal", origin };
  return { kind: "person", person: suspicious === undefined ? person : { ...person, suspicious } };
}

/** Returns why this process may be an agent in disguise. Null if nothing suggests it. */
export const findSuspicion = (surroundings: Surroundings, run: AgentWork): string | null =>
  (judgeView(surroundings, run) ?? judge(surroundings, run))?.why ?? null;

/** Checks if the processes above this one are visible: a hidden one may have an agent's marker. */
function judgeView({ table, pid, isTableOwn, view }: Surroundings, { startedIn }: AgentWork): Judgement {
  if (!isTableOwn || table.one(pid) === null) return refused("the system does not show the processes above it");
  if (startedIn === undefined || view === undefined) return null;
  if (view === null) return refused("/proc is not the system's own, so processes above it can be hidden");
  if (view.mounts === startedIn.mounts) return null;
  const why = "it is in another mount namespace than the one where the run was started";
  const isExplained = view.boot !== startedIn.boot || view.isMadeByRoot;
  return isExplained ? suspicious(why) : refused(`${why}, so processes above it can be hidden`);
}

function judge(surroundings: Surroundings, run: AgentWork): Judgement {
  const { table, pid } = surroundings;
  const facts = table.one(pid);
  const judged = facts === null ? null : judgeTerminal({ table, pid }, facts, run);
  if (judged?.is === "refused") return judged;
  const why = hostAncestor(surroundings);
  return why === null ? (judged ?? judgeView(surroundings, run)) : suspicious(why);
}

/** Treats an empty value as removed, like shells and our own tests. */
function markerIn(env: Environment): string | null {
  const found = [...OWN_MARKERS, ...HOST_MARKERS].find((name) => (env[name] ?? "") !== "");
  return found === undefined ? null : `${found} is set`;
}

/** Checks the ancestors: a process can clear its own environment, but not theirs. */
function ownAncestor({ table, pid }: Surroundings, drivers: readonly ProcessIdentity[]): string | null {
  for (const facts of lineage(table, pid)) {
    const marker = findMarker(table, facts, OWN_MARKERS);
    if (marker !== null) return `process ${facts.pid} above it carries ${marker}`;
    const above = { pid: facts.pid, started: facts.started, boot: table.boot() };
    if (drivers.some((driver) => isSameProcess(driver, above))) return `process ${facts.pid} above it runs agents`;
  }
  return null;
}

function hostAncestor({ table, pid }: Surroundings): string | null {
  for (const facts of lineage(table, pid)) {
    const marker = findMarker(table, facts, HOST_MARKERS);
    if (marker !== null) return `process ${facts.pid} above it carries ${marker}`;
  }
  return null;
}

function findMarker(table: ProcessTable, facts: ProcessFacts, markers: readonly string[]): string | null {
  const entries = table.environment(facts.pid) ?? [];
  return markers.find((name) => entries.some((entry) => entry.startsWith(`${name}=`) && entry !== `${name}=`)) ?? null;
}

/** Assessment of a caller by the history of its terminal. Null if nothing speaks against a user. */
type Judgement = { readonly is: "refused" | "suspicious"; readonly why: string } | null;

type CallerProcess = { readonly table: ProcessTable; readonly pid: number };

/**
 * Detects terminals opened by an orphaned process of an agent, at once or when the gate is open. By then it has lost
 * its parent, and it or one of its ancestors started while an agent was running. A tab opened by the user in that time
 * belongs to an older program, and has a shell to type in.
 */
function judgeTerminal({ table, pid }: CallerProcess, self: ProcessFacts, work: AgentWork): Judgement {
  const spans = listSpans(work);
  if (spans.length === 0) return null;
  const leader = self.session === null ? topOfTerminal(table, pid, self) : table.one(self.session);
  const opener = leader ?? memberFromBefore(table, self, spans);
  if (opener === null || table.startedAt(opener) === null)
    return suspicious("it is unknown when this terminal session was opened");
  const isDuring = (facts: ProcessFacts): boolean => isIn(table.startedAt(facts), spans);
  const chain = [opener, ...aboveReaper(table, opener, isDuring)];
  const late = chain.find(isDuring);
  const root = chain.at(-1) ?? opener;
  if (late === undefined)
    return judgeLater(table, { opener, root, since: Math.min(...spans.map((span) => span.since)) });
  const why =
    late === opener
      ? "this terminal session was opened while an agent was working"
      : `process ${late.pid} above it was started while an agent was working`;
  const [session] = work.livingSessions ?? [];
  if (session !== undefined) return refused(`${why}, and ${nameSession(table, session)} is alive`);
  return judgeMeanwhile(table, { opener, why, isLeft: isOrphan(table, root) && isDuring(root) });
}

/** Codex runs all sessions of a user in a daemon that outlives the sessions and their terminals. */
function nameSession(table: ProcessTable, pid: number): string {
  const [program = "", subcommand = ""] = table.command(pid) ?? [];
  if (basename(program) === "codex" && subcommand === "app-server")
    return `the daemon of Codex (process ${pid}), which ran a session that worked on this run (to end it: codex app-server daemon stop),`;
  return `a session that works on this run (process ${pid})`;
}

type Meanwhile = { readonly opener: ProcessFacts; readonly why: string; readonly isLeft: boolean };

function judgeMeanwhile(table: ProcessTable, { opener, why, isLeft }: Meanwhile): Judgement {
  if (isLeft) return refused(`${why}, by a process that has lost its parent`);
  return isShell(table.command(opener.pid)) ? null : refused(`${why}, for a command and not for a shell`);
}

type Later = { readonly opener: ProcessFacts; readonly root: ProcessFacts; readonly since: number };

/**
 * Assesses a terminal opened while no agent was running: an orphaned process of an agent may have restarted itself
 * since.
 */
function judgeLater(table: ProcessTable, { opener, root, since }: Later): Judgement {
  if (!isOrphan(table, root) || (table.startedAt(root) ?? 0) < since) return null;
  const why = "its terminal was opened after an agent had worked, by a process that has lost its parent";
  if (!isShell(table.command(opener.pid))) return refused(`${why}, for a command and not for a shell`);
  return isTerminalHost(table.command(root.pid)) ? null : suspicious(why);
}

const refused = (why: string): Judgement => ({ is: "refused", why });
const suspicious = (why: string): Judgement => ({ is: "suspicious", why });

function listSpans({ agentRunningSince: since, agentRunningUntil: until = null, earlierWork = [] }: AgentWork) {
  return since === null ? earlierWork : [...earlierWork, { since, until }];
}

const isIn = (time: number | null, spans: readonly Span[]): boolean =>
  time !== null && spans.some(({ since, until }) => time >= since && time <= (until ?? Infinity));

/**
 * Finds an ancestor in the same session from before any agent ran: a session is as old as its oldest member, even if
 * its leader exited, as on build servers.
 */
function memberFromBefore(table: ProcessTable, self: ProcessFacts, spans: readonly Span[]): ProcessFacts | null {
  const isBefore = (time: number | null): boolean => time !== null && spans.every(({ since }) => time < since);
  const members = ancestors(table, self.pid).filter(({ session }) => session === self.session);
  return members.find((facts) => isBefore(table.startedAt(facts))) ?? null;
}

/** Returns the topmost ancestor on the same terminal, for systems that do not report sessions. */
function topOfTerminal(table: ProcessTable, pid: number, self: ProcessFacts): ProcessFacts {
  return ancestors(table, pid).findLast((facts) => facts.terminal === self.terminal) ?? self;
}

/**
 * Returns the ancestors up to the process that adopts orphans. Such a process does not count if it started while an
 * agent was running.
 */
function aboveReaper(
  table: ProcessTable,
  from: ProcessFacts,
  isDuring: (facts: ProcessFacts) => boolean,
): readonly ProcessFacts[] {
  const all = ancestors(table, from.pid);
  const end = all.findIndex((facts) => isReaper(table, facts) && !isDuring(facts));
  return end === -1 ? all : all.slice(0, end);
}

/** True if the parent of the process adopts orphans. A process started from outside its container has no parent. */
function isOrphan(table: ProcessTable, { parent }: ProcessFacts): boolean {
  const facts = parent > 0 ? table.one(parent) : null;
  return facts !== null && isReaper(table, facts);
}

const REAPERS: ReadonlySet<string> = new Set(["systemd", "init", "launchd"]);

const isReaper = (table: ProcessTable, { pid }: ProcessFacts): boolean =>
  pid === 1 || REAPERS.has(basename(table.command(pid)?.[0] ?? ""));

const SHELLS = /^-?(?:ba|da|z|k|tc|c|fi|a)?sh$|^-?(?:nu|pwsh|elvish|xonsh)$/;

const TERMINAL_HOSTS =
  /^(?:tmux|screen|zellij|dtach|abduco|sshd|login|a?getty|xterm|urxvt|kitty|alacritty|wezterm|foot|konsole|gnome-terminal|ptyxis|kgx|terminator|tilix|xfce4-terminal|lxterminal|mate-terminal|ghostty|rio|code|codium|cursor|Terminal|iTerm)/i;

/** True for known programs that provide terminals to users. */
function isTerminalHost(command: readonly string[] | null): boolean {
  const [program = "", ...words] = command ?? [];
  return TERMINAL_HOSTS.test(basename(program)) || words.some((word) => /(?:code|codium|cursor)-server/.test(word));
}

/** True for a shell that reads typed input: without a command or a script. */
function isShell(command: readonly string[] | null): boolean {
  const [program = "", ...options] = command ?? [];
  const isOption = (word: string): boolean => /^[-+]/.test(word) && !/^-[a-z]*c|^--command/.test(word);
  return SHELLS.test(basename(program)) && options.every(isOption);
}

/** Deeper ancestries do not occur, unless someone builds one. */
const MAX_ANCESTORS = 200;

/** Lists the ancestors, nearest first. */
function ancestors(table: ProcessTable, pid: number): readonly ProcessFacts[] {
  const above: ProcessFacts[] = [];
  for (let facts = table.one(pid); facts !== null && facts.parent > 0 && above.length < MAX_ANCESTORS;) {
    facts = table.one(facts.parent);
    if (facts !== null) above.push(facts);
  }
  return above;
}

/** Lists the ancestors, nearest first, and the leaders of group and session, which stay if the parent exits. */
function lineage(table: ProcessTable, pid: number): readonly ProcessFacts[] {
  const self = table.one(pid);
  const leaders = [self?.group, self?.session].flatMap((leader) =>
    typeof leader === "number" && leader > 0 && leader !== pid ? (table.one(leader) ?? []) : [],
  );
  return [...ancestors(table, pid), ...leaders];
}
