import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemProcessTable } from "../../src/adapters/process/process-table.ts";
import type { AgentBackend, AgentEnd, AgentEvent, AgentTask } from "../../src/ports/agent-backend.ts";
import type { AgentResult, Usage, Verdict } from "../../src/schema/agent.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

/** Behavior of an agent in one execution, behind any backend. */
export type AgentScript = {
  readonly says: readonly string[];
  readonly writes: readonly { readonly path: string; readonly contents: string }[];
  /** Keeps running after its output. */
  readonly hangs: boolean;
  /** Answers as the agent of a phase and as a reviewer; null for no answer. */
  readonly result: AgentResult | null;
  readonly verdict: Verdict | null;
  readonly usage: Usage | null;
};

const done: AgentResult = {
  status: "done",
  summary: "Wrote it.",
  decisions: ["kept small"],
  artifacts: [],
  questions: [],
};
const idle: AgentScript = { says: [], writes: [], hangs: false, result: null, verdict: null, usage: null };

export function agentTask(more: Partial<AgentTask>): AgentTask {
  return {
    role: "phase",
    attempt: "03-architecture#1",
    ticket: "03-architecture#1@12",
    iteration: 1,
    phase: "03-architecture",
    workflow: "feature",
    item: "docs/requirements/REQ-0001-login",
    cwd: "/",
    persona: "You are an architect.",
    prompt: "Write the overview.",
    access: "write",
    artifacts: ["docs/requirements/REQ-0001-login/architecture-overview.md"],
    nonce: `contract-${process.pid}-${performance.now()}`,
    limits: { silence: 30, turns: null, usd: null },
    tests: null,
    session: null,
    ...more,
  };
}

export async function collect(events: AsyncIterable<AgentEvent>): Promise<{ progress: string[]; ends: AgentEnd[] }> {
  const progress: string[] = [];
  const ends: AgentEnd[] = [];
  for await (const event of events) {
    if (event.type === "end") ends.push(event);
    else if (ends.length > 0) throw new Error("progress after the end");
    else progress.push(event.text);
  }
  return { progress, ends };
}

/** Requirements of every backend. `create` returns one whose agent follows the script. */
export function describeBackend(
  name: string,
  create: (script: AgentScript) => AgentBackend | Promise<AgentBackend>,
): void {
  describe(`backend ${name}`, () => {
    let cwd = "";
    beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), "backend-"))));
    afterEach(() => removeTemporary(cwd));

    const play = async (script: Partial<AgentScript>, task: Partial<AgentTask> = {}, signal?: AbortSignal) => {
      const backend = await create({ ...idle, ...script });
      return collect(backend.run(agentTask({ cwd, ...task }), signal ?? new AbortController().signal));
    };

    test("reports its abilities", async () => {
      const backend = await create(idle);
      const abilities = ["structuredResult", "readOnly", "cost", "turns", "budget", "resumes"];
      const able = Object.fromEntries(abilities.map((ability) => [ability, expect.any(Boolean)]));
      expect(await backend.probe()).toEqual({ version: expect.any(String), ...able });
    });

    test("has a digest of its start command", async () => {
      const [one, same] = [await create(idle), await create(idle)];
      expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(same.digest).toBe(one.digest);
    });

    test("reports progress, then one end with the result, and writes in the working directory", async () => {
      const writes = [{ path: "docs/made.md", contents: "# Made\n" }];
      const usage = { input: 10, output: 20, usd: null };
      const { progress, ends } = await play({ says: ["reading", "writing"], writes, result: done, usage });
      expect(progress).toEqual(expect.arrayContaining(["reading", "writing"]));
      expect(ends).toMatchObject([{ type: "end", how: "result", result: done }]);
      expect(readFileSync(join(cwd, "docs/made.md"), "utf8")).toBe("# Made\n");
      expect(ends[0]?.usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
    });

    test("reports questions", async () => {
      const questions = [{ id: "q1", text: "Which database?", choices: ["one", "other"] }];
      const result: AgentResult = { ...done, status: "needs_input", questions };
      expect((await play({ result })).ends).toMatchObject([
        { how: "result", result: { status: "needs_input", questions } },
      ]);
    });

    test("reports that the agent gave up", async () => {
      const result: AgentResult = { ...done, status: "failed", summary: "no way" };
      expect((await play({ result })).ends).toMatchObject([{ how: "result", result: { status: "failed" } }]);
    });

    test("reports a reviewer's verdict [S9]", async () => {
      const issues = [{ severity: "blocker" as const, description: "It loses data.", location: "a.ts:3" }];
      const verdict: Verdict = { approved: false, issues, summary: "Not yet." };
      const { ends } = await play({ verdict }, { role: "reviewer", access: "read" });
      expect(ends).toMatchObject([{ how: "verdict", verdict }]);
    });

    test.each(["phase", "reviewer"] as const)("fails an agent (%s) that ends without a result", async (role) => {
      const { ends } = await play({ says: ["bye"] }, { role });
      expect(ends).toHaveLength(1);
      expect(ends).toMatchObject([{ how: "failed", reason: expect.stringMatching(/^(?:no|invalid)_result$/) }]);
    });

    test("leaves no process after an abort", async () => {
      const abort = new AbortController();
      const task = agentTask({ cwd });
      const backend = await create({ ...idle, says: ["here"], hangs: true });
      const seen: AgentEvent[] = [];
      for await (const event of backend.run(task, abort.signal)) {
        seen.push(event);
        abort.abort();
      }
      expect(seen.filter((event) => event.type === "end")).toMatchObject([{ how: "failed", reason: "aborted" }]);
      expect(carriers(task.nonce)).toEqual([]);
    });

    test("does nothing if it is aborted before the start", async () => {
      const { ends } = await play(
        { writes: [{ path: "made.md", contents: "x" }], result: done },
        {},
        AbortSignal.abort(),
      );
      expect(ends).toMatchObject([{ how: "failed", reason: "aborted" }]);
      expect(readdirSync(cwd)).toEqual([]);
    });

    test("stops when the consumer stops reading", async () => {
      const task = agentTask({ cwd });
      const backend = await create({ ...idle, says: ["here"], hangs: true });
      for await (const event of backend.run(task, new AbortController().signal)) {
        expect(event.type).toBe("progress");
        break;
      }
      expect(carriers(task.nonce)).toEqual([]);
    });
  });
}

/** Failures of an agent or its model service. */
export type AgentFault =
  | "500"
  | "429"
  | "401"
  | "overloaded"
  | "cut"
  | "early end"
  | "reset"
  | "hang"
  | "crash"
  | "exit 0 without a result"
  | "garbage";

type Ending = { readonly reason: string; readonly again: boolean; readonly told?: RegExp };

const passes: Ending = { reason: "unavailable", again: true };

const endings: Readonly<Record<AgentFault, Ending>> = {
  "500": passes,
  "429": passes,
  overloaded: passes,
  cut: passes,
  "early end": passes,
  reset: passes,
  garbage: passes,
  "401": { reason: "agent_failed", again: false, told: /\blog ?in\b|\bsign in\b/i },
  hang: { reason: "silent", again: true },
  crash: { reason: "bad_exit", again: true },
  "exit 0 without a result": { reason: "no_result", again: true },
};

/** Failures that do not involve a model service. */
export const FAULTS_OF_A_PROGRAM = ["hang", "crash", "exit 0 without a result"] as const;

/** Expected end for each failure of a backend. `create` returns one whose agent fails that way. */
export function describeFaults(
  name: string,
  create: (fault: AgentFault) => AgentBackend | Promise<AgentBackend>,
  faults: readonly AgentFault[] = Object.keys(endings) as AgentFault[],
): void {
  describe(`faults of the backend ${name} [R12]`, () => {
    test.each(faults)("are reported: %s", async (fault) => {
      const cwd = mkdtempSync(join(tmpdir(), "backend-"));
      const task = agentTask({ cwd, limits: { silence: fault === "hang" ? 1 : 30, turns: null, usd: null } });
      const { ends } = await collect((await create(fault)).run(task, new AbortController().signal));
      const { reason, again, told = /./ } = endings[fault];
      const detail = expect.stringMatching(told) as string;
      expect(ends).toMatchObject([{ how: "failed", reason, again, detail }]);
      expect(carriers(task.nonce)).toEqual([]);
      rmSync(cwd, { recursive: true, force: true });
    });
  });
}

/** Running processes with the nonce. */
function carriers(nonce: string): readonly number[] {
  const table = systemProcessTable();
  const all = table.all().map((facts) => facts.pid);
  return all.filter((pid) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`) ?? false);
}
