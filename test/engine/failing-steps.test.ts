import { afterEach, beforeEach, expect, test } from "vitest";
import * as files from "node:fs";
import { ProblemError } from "../../src/core/problem.ts";
import type { RunState } from "../../src/core/run.ts";
import { drive } from "../../src/engine/loop/drive.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { LocalProject } from "../../src/compose/project.ts";
import { currentRun } from "../../src/app/project/current-run.ts";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import type { RunId } from "../../src/schema/ids.ts";
import { begin, createRepository, engineFor, newBase, placeIn, remove } from "../support/instant-run.ts";

let base: string;
let project: LocalProject;
let executions: string[];

beforeEach(async () => {
  base = newBase();
  project = await begin(placeIn(base), files, { "no-git": true, supervised: false, yes: true });
  executions = [];
});
afterEach(() => remove(base));

/** Drives the run with one changed part of the engine, and at most the given number of agents. */
async function driveWith(change: (engine: Engine) => Partial<Engine>): Promise<RunState> {
  const { state } = await currentRun(project);
  if (state.is !== "active") throw new Error("no run is open");
  const engine = engineFor(project, state, createRepository());
  const stop = new AbortController();
  const transcript: Engine["transcript"] = (execution) => {
    executions.push(execution);
    if (executions.length > 20) stop.abort();
    return engine.transcript(execution);
  };
  return (await drive({ ...engine, ...change(engine), transcript }, stop.signal)).state;
}

test("escalates a review that cannot be recorded after one reviewer", async () => {
  const fail = () =>
    Promise.reject(new ProblemError({ code: "GIT_FAILED", command: "update-ref", detail: "a lock is held" }));
  const state = await driveWith(({ workspace, agents }) => ({
    agents: { ...agents, reviewer: (key) => using(agents.reviewer(key)) },
    workspace: { ...workspace, now: (include) => (executions.length < 3 ? workspace.now(include) : fail()) },
  }));
  expect(state).toMatchObject({ wait: { kind: "escalation", reason: "git_failed" } });
  expect(executions).toEqual(["plan#1.1", "implement#1.1", "implement#1.2"]);
  const { journal } = project;
  const ends = journal.events(journal.newest() as RunId).filter(({ type }) => type === "execution.ended");
  expect(ends.at(-1)).toMatchObject({ execution: "implement#1.2", how: "failed", usage: USED });
});

const USED = { input: 10, output: 2, usd: null };

/** The same agent, with reported usage. */
function using(backend: AgentBackend): AgentBackend {
  return {
    ...backend,
    async *run(task, signal) {
      for await (const event of backend.run(task, signal)) yield { ...event, usage: USED };
    },
  };
}

test("ends an execution that throws a problem, and escalates", async () => {
  const fail = () => {
    throw new ProblemError({ code: "AGENT_MISSING", agent: "instant", detail: "its program is gone" });
  };
  const state = await driveWith(({ agents }) => ({
    agents: { ...agents, phase: (key) => ({ ...agents.phase(key), run: fail }) },
  }));
  expect(state).toMatchObject({ wait: { kind: "escalation", reason: "agent_missing" }, stage: { claim: null } });
  expect(executions).toEqual(["plan#1.1"]);
});

test("stops with an error if the report of the current step is refused", async () => {
  const driving = driveWith(({ journal }) => ({
    journal: {
      ...journal,
      submit: async (run, command) =>
        command.do === "report" && command.outcome.of === "produce"
          ? { ok: false, ...(await journal.load(run)), refusal: { why: "lateOutcome", expected: null } }
          : journal.submit(run, command),
    },
  }));
  await expect(driving).rejects.toThrow("produce of plan#1 cannot be recorded: lateOutcome");
  expect(executions).toEqual(["plan#1.1"]);
});
