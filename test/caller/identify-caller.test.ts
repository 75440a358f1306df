import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOST_MARKERS, OWN_MARKERS } from "../../src/adapters/caller/agent-markers.ts";
import { identifyCaller, type Surroundings } from "../../src/adapters/caller/identify-caller.ts";
import type { AgentWork } from "../../src/ports/callers.ts";
import { systemSurroundings } from "../../src/adapters/caller/system-surroundings.ts";
import { procFileTable, type ProcessFacts, type ProcessTable } from "../../src/adapters/process/process-table.ts";
import { startAgentProcess } from "../../src/adapters/process/start-agent-process.ts";
import { Person } from "../../src/schema/people.ts";

type Fake = Partial<ProcessFacts> & { readonly env?: readonly string[]; readonly at?: number };

const SHELL = 50;
const CALLER = 60;

/** A person's shell with our program in it, changed as a test needs it. */
function tableOf(changes: Readonly<Record<number, Fake | null>> = {}): ProcessTable {
  const base: Record<number, Fake | null> = {
    1: { parent: 0, session: 1, group: 1, at: 0 },
    40: { parent: 1, session: 40, group: 40, at: 500 },
    [SHELL]: { parent: 40, session: SHELL, group: SHELL, terminal: "34816", at: 1000 },
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
    startedAt: ({ pid }) => fakes[pid]?.at ?? base[pid]?.at ?? null,
  };
}

const nothing: AgentWork = { drivers: [], agentRunningSince: null };

function ask(changes: Partial<Surroundings> = {}, run: Partial<AgentWork> = {}) {
  const terminal = { isInteractive: true, terminalName: "/dev/pts/3" };
  const usual = { env: {}, table: tableOf(), pid: CALLER, userName: "ada", ...terminal };
  return identifyCaller({ ...usual, ...changes }, { ...nothing, ...run });
}

describe("a person", () => {
  test("at a terminal, with what an answer records", () => {
    const caller = ask();
    const origin = { pid: CALLER, session: SHELL, terminal: "/dev/pts/3" };
    expect(caller).toEqual({ kind: "person", person: { name: "ada", channel: "terminal", origin } });
    if (caller.kind === "person") expect(Person.parse(caller.person)).toEqual(caller.person);
  });

  test.each<[string, Partial<Surroundings>]>([
    ["input or output are no terminal", { isInteractive: false }],
    ["no terminal controls the process", { table: tableOf({ [CALLER]: { terminal: null } }) }],
    ["the process cannot be found", { table: tableOf({ [CALLER]: null }) }],
  ])("nobody when %s", (_, changes) => {
    expect(ask(changes)).toEqual({ kind: "nobody" });
  });
});

describe("S9 S10 an agent is known", () => {
  test.each([...OWN_MARKERS, ...HOST_MARKERS])("by %s in its environment, terminal or not", (name) => {
    expect(ask({ env: { [name]: "1" } })).toEqual({ kind: "agent", evidence: `${name} is set` });
    expect(ask({ env: { [name]: "1" }, isInteractive: false }).kind).toBe("agent");
    expect(ask({ env: { [name]: "" } }).kind).toBe("person");
  });

  test.each<[string, Record<number, Fake>]>([
    ["its parent", { [SHELL]: { env: ["PATH=/bin", "ISDLC_NONCE=n1"] } }],
    ["a far ancestor", { 40: { env: ["ISDLC_NONCE=n1"] } }],
    [
      "the leader of its session, though its parent is gone",
      { [CALLER]: { parent: 1 }, [SHELL]: { env: ["ISDLC_NONCE=n1"] } },
    ],
    ["the leader of its group", { 70: { env: ["ISDLC_AGENT=1"] }, [CALLER]: { group: 70 } }],
  ])("by the mark on %s", (_, changes) => {
    expect(ask({ table: tableOf(changes) })).toMatchObject({
      kind: "agent",
      evidence: expect.stringContaining("ISDLC_"),
    });
  });

  test("by descending from a process that a run recorded", () => {
    const driver = { pid: 40, started: "start-40", boot: "this-boot" };
    expect(ask({}, { drivers: [driver] }).kind).toBe("agent");
    expect(ask({}, { drivers: [{ ...driver, started: "earlier" }] }).kind).toBe("person");
    expect(ask({}, { drivers: [{ ...driver, boot: "earlier" }] }).kind).toBe("person");
  });

  test("not by being the driver itself", () => {
    expect(ask({}, { drivers: [{ pid: CALLER, started: `start-${CALLER}`, boot: "this-boot" }] }).kind).toBe("person");
  });

  test("an ancestry that runs in a circle comes to an end", () => {
    expect(ask({ table: tableOf({ [SHELL]: { parent: CALLER } }) }).kind).toBe("person");
  });
});

describe("S10 a suspicious person", () => {
  const suspicion = (run: Partial<AgentWork>, table = tableOf()): string | undefined => {
    const caller = ask({ table }, run);
    return caller.kind === "person" ? caller.person.suspicious : "no person";
  };

  test.each<[string, Partial<AgentWork>, boolean]>([
    ["no agent ran", { agentRunningSince: null }, false],
    ["the terminal is older than the agent", { agentRunningSince: 1001 }, false],
    ["the terminal was opened while it ran", { agentRunningSince: 999 }, true],
    ["the terminal was opened after it ended", { agentRunningSince: 600, agentRunningUntil: 900 }, false],
    ["what opened it began while it ran", { agentRunningSince: 400, agentRunningUntil: 900 }, true],
    ["it was opened during earlier work", { earlierWork: [{ since: 900, until: 1100 }] }, true],
    [
      "it was opened between two times of work",
      { agentRunningSince: 1100, earlierWork: [{ since: 600, until: 900 }] },
      false,
    ],
    ["the terminal was opened before it ended", { agentRunningSince: 500, agentRunningUntil: 1100 }, true],
  ])("%s", (_, run, isSuspicious) => {
    expect(suspicion(run) !== undefined).toBe(isSuspicious);
  });

  test("when the opener of the terminal is gone", () => {
    const table = tableOf({ [SHELL]: null, [CALLER]: { parent: 1 } });
    expect(suspicion({ agentRunningSince: 5 }, table)).toContain("nobody can tell");
    expect(suspicion({}, table)).toBeUndefined();
  });

  test("not when the opener is gone and an ancestor in its session is older than all work of agents", () => {
    const member = { parent: 1, session: SHELL, terminal: "34816", at: 2000 };
    const table = tableOf({ [SHELL]: null, 55: member, [CALLER]: { parent: 55 } });
    expect(suspicion({ agentRunningSince: 2001 }, table)).toBeUndefined();
    expect(suspicion({ agentRunningSince: 1500 }, table)).toContain("nobody can tell");
    expect(suspicion({ agentRunningSince: 2500, earlierWork: [{ since: 600, until: 900 }] }, table)).toContain(
      "nobody can tell",
    );
    const other = tableOf({ [SHELL]: null, 55: { ...member, session: 55 }, [CALLER]: { parent: 55 } });
    expect(suspicion({ agentRunningSince: 2001 }, other)).toContain("nobody can tell");
  });

  test("when an ancestor belongs to another host's agent", () => {
    expect(suspicion({}, tableOf({ [SHELL]: { env: ["CLAUDECODE=1"] } }))).toContain("CLAUDECODE");
  });

  test("where the system tells no sessions, by the topmost process on the same terminal", () => {
    const table = tableOf();
    const blind = { ...table, one: (pid: number) => withoutSession(table.one(pid)) };
    expect(suspicion({ agentRunningSince: 999 }, blind)).toContain("opened while");
    expect(suspicion({ agentRunningSince: 1001 }, blind)).toBeUndefined();
  });
});

const withoutSession = (facts: ProcessFacts | null): ProcessFacts | null =>
  facts === null ? null : { ...facts, session: null };

test("S10 a real grandchild with an emptied environment is known by its ancestry while the agent lives", async () => {
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
