import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOST_MARKERS, OWN_MARKERS } from "../../src/adapters/identity/agent-markers.ts";
import { identifyCaller, type Surroundings, findSuspicion } from "../../src/adapters/identity/identify-caller.ts";
import type { AgentWork } from "../../src/ports/callers.ts";
import { systemSurroundings } from "../../src/adapters/identity/system-callers.ts";
import { procFileTable, type ProcessFacts, type ProcessTable } from "../../src/adapters/process/process-table.ts";
import { startAgentProcess } from "../../src/adapters/process/start-agent-process.ts";
import { Person } from "../../src/schema/people.ts";

type Fake = Partial<ProcessFacts> & {
  readonly env?: readonly string[];
  readonly at?: number;
  readonly command?: readonly string[];
};

const SHELL = 50;
const CALLER = 60;

/** A user's shell with isdlc in it, with the given changes. */
function tableOf(changes: Readonly<Record<number, Fake | null>> = {}): ProcessTable {
  const base: Record<number, Fake | null> = {
    1: { parent: 0, session: 1, group: 1, at: 0, command: ["/sbin/init"] },
    40: { parent: 1, session: 40, group: 40, at: 500, command: ["/usr/bin/kitty"] },
    [SHELL]: { parent: 40, session: SHELL, group: SHELL, terminal: "34816", at: 1000, command: ["-bash"] },
    [CALLER]: { parent: SHELL, session: SHELL, group: CALLER, terminal: "34816", at: 9000 },
  };
  const fakes = { ...base, ...changes };
  const one = (pid: number): ProcessFacts | null => {
    const fake = fakes[pid] === null ? null : { ...base[pid], ...fakes[pid] };
    if (fake === null || fakes[pid] === undefined) return null;
    const { parent = 1, group = pid, session = pid, terminal = null } = fake;
    return { pid, parent, group, session, terminal, started: `start-${pid}` };
  };
  return {
    boot: () => "this-boot",
    all: () => Object.keys(fakes).flatMap((pid) => one(Number(pid)) ?? []),
    one,
    environment: (pid) => fakes[pid]?.env ?? null,
    command: (pid) => fakes[pid]?.command ?? base[pid]?.command ?? null,
    startedAt: ({ pid }) => fakes[pid]?.at ?? base[pid]?.at ?? null,
    isOlder: () => false,
  };
}

const nothing: AgentWork = { drivers: [], agentRunningSince: null };

function ask(changes: Partial<Surroundings> = {}, run: Partial<AgentWork> = {}) {
  const terminal = { isInteractive: true, terminalName: "/dev/pts/3" };
  const usual = { env: {}, table: tableOf(), pid: CALLER, userName: "ada", isTableOwn: true, ...terminal };
  return identifyCaller({ ...usual, ...changes }, { ...nothing, ...run });
}

const HERE = { boot: "this-boot", mounts: "100" };
const own = (mounts: string, isMadeByRoot = false) => ({ boot: "this-boot", mounts, isMadeByRoot });

describe("unreliable process table", () => {
  test.for<[string, Partial<Surroundings>, Partial<AgentWork>]>([
    ["is empty", { table: { ...tableOf(), one: () => null, all: () => [] } }, {}],
    ["shows another process under the caller's id", { isTableOwn: false }, {}],
    ["is not the system's own /proc", { view: null }, { startedIn: HERE }],
    ["is in a mount namespace created after the start of the run", { view: own("200") }, { startedIn: HERE }],
  ])("identifies no user if it %s", ([, changes, run]) => {
    expect(ask(changes, run)).toMatchObject({ kind: "unknown" });
    const terminal = { isInteractive: true, terminalName: null, isTableOwn: true };
    const usual = { env: {}, table: tableOf(), pid: CALLER, userName: "ada", ...terminal };
    expect(findSuspicion({ ...usual, ...changes }, { ...nothing, ...run })).not.toBeNull();
  });

  test.for<[string, Partial<Surroundings>]>([
    ["after a system restart", { view: { ...own("200"), boot: "next-boot" } }],
    ["that only root can create", { view: own("200", true) }],
  ])("marks an answer from a namespace %s", ([, changes]) => {
    const caller = ask(changes, { startedIn: HERE });
    expect(caller).toMatchObject({ kind: "person", person: { suspicious: expect.stringContaining("namespace") } });
  });

  test.for<[string, Partial<Surroundings>, Partial<AgentWork>]>([
    ["in the namespace of the run", { view: own("100") }, { startedIn: HERE }],
    [
      "in the first namespace after a system restart",
      { view: { ...own("100"), boot: "next-boot" } },
      { startedIn: HERE },
    ],
    ["without namespaces", { view: undefined }, { startedIn: HERE }],
    ["in a run by an older version", { view: null }, {}],
  ])("accepts a user %s", ([, changes, run]) => {
    const caller = ask(changes, run);
    expect(caller).toMatchObject({ kind: "person", person: { name: "ada" } });
    expect(caller).not.toHaveProperty("person.suspicious");
  });

  test("is the real one in this process", () => {
    const { isTableOwn, view } = systemSurroundings();
    expect(isTableOwn).toBe(true);
    if (process.platform === "linux") expect(Number(view?.mounts)).toBeGreaterThan(1);
  });
});

describe("user", () => {
  test("is identified at a terminal with the origin of an answer", () => {
    const caller = ask();
    const origin = { pid: CALLER, session: SHELL, terminal: "/dev/pts/3" };
    expect(caller).toEqual({ kind: "person", person: { name: "ada", channel: "terminal", origin } });
    if (caller.kind === "person") expect(Person.parse(caller.person)).toEqual(caller.person);
  });

  test.each<[string, Partial<Surroundings>]>([
    ["input or output is not a terminal", { isInteractive: false }],
    ["the process has no controlling terminal", { table: tableOf({ [CALLER]: { terminal: null } }) }],
  ])("is missing if %s", (_, changes) => {
    expect(ask(changes)).toEqual({ kind: "nobody" });
  });
});

describe("agent [S9, S10]", () => {
  test.each([...OWN_MARKERS, ...HOST_MARKERS])(
    "is identified by %s in its environment, with or without a terminal",
    (name) => {
      expect(ask({ env: { [name]: "1" } })).toEqual({ kind: "agent", evidence: `${name} is set` });
      expect(ask({ env: { [name]: "1" }, isInteractive: false }).kind).toBe("agent");
      expect(ask({ env: { [name]: "" } }).kind).toBe("person");
    },
  );

  test.each<[string, Record<number, Fake>]>([
    ["its parent", { [SHELL]: { env: ["PATH=/bin", "ISDLC_NONCE=n1"] } }],
    ["a far ancestor", { 40: { env: ["ISDLC_NONCE=n1"] } }],
    [
      "the leader of its session, without its parent",
      { [CALLER]: { parent: 1 }, [SHELL]: { env: ["ISDLC_NONCE=n1"] } },
    ],
    ["the leader of its group", { 70: { env: ["ISDLC_AGENT=1"] }, [CALLER]: { group: 70 } }],
  ])("is identified by the marker of %s", (_, changes) => {
    expect(ask({ table: tableOf(changes) })).toMatchObject({
      kind: "agent",
      evidence: expect.stringContaining("ISDLC_"),
    });
  });

  test("is identified as a descendant of a recorded driver", () => {
    const driver = { pid: 40, started: "start-40", boot: "this-boot" };
    expect(ask({}, { drivers: [driver] }).kind).toBe("agent");
    expect(ask({}, { drivers: [{ ...driver, started: "earlier" }] }).kind).toBe("person");
    expect(ask({}, { drivers: [{ ...driver, boot: "earlier" }] }).kind).toBe("person");
  });

  test("is not the driver itself", () => {
    expect(ask({}, { drivers: [{ pid: CALLER, started: `start-${CALLER}`, boot: "this-boot" }] }).kind).toBe("person");
  });

  test("is not found in a circular ancestry, which ends", () => {
    expect(ask({ table: tableOf({ [SHELL]: { parent: CALLER } }) }).kind).toBe("person");
  });
});

describe("terminal possibly opened by an agent [S10]", () => {
  /** The refusal or suspicion with its reason, or "person". */
  const verdict = (run: Partial<AgentWork>, table = tableOf()): string => {
    const caller = ask({ table }, run);
    if (caller.kind === "suspect") return `refused: ${caller.why}`;
    if (caller.kind !== "person") return caller.kind;
    return caller.person.suspicious === undefined ? "person" : `suspicious: ${caller.person.suspicious}`;
  };
  const work = { agentRunningSince: 2000, agentRunningUntil: 3000 };
  const tab = (at: number, command: readonly string[] = ["-bash"]) => ({ [SHELL]: { at, command } });
  /** An orphaned process that opened a terminal. */
  const orphan = (at: number, command: readonly string[], inside: readonly string[]) => ({
    40: { at, command },
    [SHELL]: { at: at + 1, command: inside },
  });
  const script = ["script", "-qec", "isdlc continue", "/dev/null"];
  const inScript = ["sh", "-c", "isdlc continue"];

  test.each<[string, Partial<AgentWork>, Record<number, Fake | null>]>([
    ["no agent ran", { agentRunningSince: null }, tab(2500)],
    ["an older terminal", work, {}],
    ["a second tab opened while the agent works", { agentRunningSince: 2000 }, tab(2500)],
    ["a tab of a login shell with options", work, tab(2500, ["/usr/bin/zsh", "-l", "-i"])],
    ["a tab opened after the agent ended", work, tab(3500)],
    ["a new window of a known terminal opened at the gate", work, orphan(3500, ["/usr/bin/tmux"], ["-bash"])],
    ["a new window of a restarted editor", work, orphan(3500, ["sh", "/x/.vscode-server/bin/code-server"], ["-zsh"])],
    ["a shell from outside of the container", work, { 40: { parent: 0, at: 2500 }, ...tab(2500) }],
    [
      "a second connection to an older server",
      work,
      { 40: { at: 500, command: ["sshd"] }, 45: { parent: 40, at: 2500 }, [SHELL]: { parent: 45, at: 2500 } },
    ],
  ])("is accepted: %s", (_, run, changes) => {
    expect(verdict(run, tableOf(changes))).toBe("person");
  });

  test.each<[string, Partial<AgentWork>, Record<number, Fake | null>, string]>([
    ["an orphan that opened a terminal", work, orphan(2500, script, inScript), "has lost its parent"],
    ["an orphan with a shell in its terminal", work, orphan(2500, ["python3"], ["bash"]), "has lost its parent"],
    [
      "a process that opened a terminal at the gate",
      work,
      { 40: { at: 2500, command: ["sleep"] }, [SHELL]: { at: 3500, command: inScript } },
      "process 40 above it was started while an agent was working, by a process that has lost its parent",
    ],
    [
      "an orphan adopted by the manager of the user's session",
      work,
      {
        30: { parent: 1, at: 10, command: ["/usr/lib/systemd/systemd", "--user"] },
        ...orphan(2500, script, inScript),
        40: { parent: 30, at: 2500, command: script },
      },
      "has lost its parent",
    ],
    [
      "a process under a program named like such a manager",
      work,
      { 30: { parent: 1, at: 2500, command: ["systemd"] }, 40: { parent: 30, at: 3500 }, ...tab(3500) },
      "has lost its parent",
    ],
    ["an orphan started at the gate", work, orphan(3500, script, inScript), "for a command and not for a shell"],
    ["a pane opened for one command during work", work, tab(2500, inScript), "for a command and not for a shell"],
    ["a pane with isdlc in it", work, tab(2500, ["node", "isdlc", "continue"]), "for a command"],
    [
      "a pane opened during earlier work",
      { earlierWork: [{ since: 2000, until: 3000 }] },
      tab(2500, inScript),
      "opened while",
    ],
    [
      "a tab opened while a session is running",
      { agentRunningSince: 2000, livingSessions: [40] },
      tab(2500),
      "(process 40) is alive",
    ],
    [
      "a tab opened while the Codex daemon is running",
      { agentRunningSince: 2000, livingSessions: [90] },
      { ...tab(2500), 90: { command: ["/home/ada/.codex/packages/bin/codex", "app-server", "--listen"] } },
      "codex app-server daemon stop",
    ],
  ])("is refused: %s", (...[, run, changes, why]) => {
    expect(verdict(run, tableOf(changes))).toMatch(/^refused: /);
    expect(verdict(run, tableOf(changes))).toContain(why);
  });

  test("is suspicious with an orphaned unknown program above a shell started after the work", () => {
    expect(verdict(work, tableOf(orphan(3500, ["python3"], ["bash"])))).toMatch(/^suspicious: .*lost its parent$/);
  });

  test("is suspicious if its opener exited", () => {
    const table = tableOf({ [SHELL]: null, [CALLER]: { parent: 1 } });
    expect(verdict({ agentRunningSince: 5 }, table)).toContain("suspicious: it is unknown");
    expect(verdict({}, table)).toBe("person");
  });

  test("is accepted without its opener if an ancestor is older than all work", () => {
    const member = { parent: 1, session: SHELL, terminal: "34816", at: 2000 };
    const table = tableOf({ [SHELL]: null, 55: member, [CALLER]: { parent: 55 } });
    expect(verdict({ agentRunningSince: 2001 }, table)).toBe("person");
    expect(verdict({ agentRunningSince: 1500 }, table)).toContain("it is unknown");
    const earlier = { agentRunningSince: 2500, earlierWork: [{ since: 600, until: 900 }] };
    expect(verdict(earlier, table)).toContain("it is unknown");
    const other = tableOf({ [SHELL]: null, 55: { ...member, session: 55 }, [CALLER]: { parent: 55 } });
    expect(verdict({ agentRunningSince: 2001 }, other)).toContain("it is unknown");
  });

  test("is suspicious if an ancestor belongs to another agent host", () => {
    expect(verdict({}, tableOf({ [SHELL]: { env: ["CLAUDECODE=1"] } }))).toMatch(/^suspicious: .*CLAUDECODE/);
  });

  test("is judged by the topmost process on the terminal if sessions are unknown", () => {
    const blind = (changes: Record<number, Fake>) => {
      const table = tableOf(changes);
      return { ...table, one: (pid: number) => withoutSession(table.one(pid)) };
    };
    expect(verdict(work, blind(tab(2500, inScript)))).toContain("opened while");
    expect(verdict(work, blind(tab(2500)))).toBe("person");
  });
});

const withoutSession = (facts: ProcessFacts | null): ProcessFacts | null =>
  facts === null ? null : { ...facts, session: null };

test("identifies a real grandchild with an empty environment by its living ancestors [S10]", async () => {
  const table = procFileTable();
  const abort = new AbortController();
  const seen: unknown[] = [];
  const onLine = ({ text }: { readonly text: string }): void => {
    const pid = Number(text);
    const leaves = table.environment(pid);
    seen.push(leaves?.some((entry) => entry.startsWith("ISDLC_")));
    seen.push(identifyCaller({ ...systemSurroundings(), env: {}, table, pid, isInteractive: true }, nothing));
    abort.abort();
  };
  const agent = join(import.meta.dirname, "../fixtures/agents/leaves-child.mjs");
  const nonce = `caller-${process.pid}`;
  const argv = [process.execPath, agent, "escapes", "60000"];
  const { env } = process;
  await startAgentProcess({ argv, cwd: "/", env, nonce, stdin: "", silenceSeconds: 30, onLine }, abort.signal);
  expect(seen).toEqual([false, { kind: "agent", evidence: expect.stringContaining("ISDLC_NONCE") }]);
});
