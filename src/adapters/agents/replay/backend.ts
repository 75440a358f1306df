import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError } from "../../../core/problem.ts";
import type { AgentBackend, AgentEnd, AgentTask, FailureReason } from "../../../ports/agent-backend.ts";
import type { AgentResult } from "../../../schema/agent.ts";
import { streamEvents, type Emit } from "../../process/stream-events.ts";
import { deleteContained, writeContained } from "../../files/contained-file.ts";
import type { RecordedExecution, Recording } from "./recording.ts";

export { parseRecording } from "./recording.ts";

export type ReplayOptions = {
  /** Factor of the recorded speed; `Infinity` skips all delays. */
  readonly speed?: number;
};

/**
 * Creates the backend that plays a recorded session, without model, network or process. Its agent is always named
 * "replay".
 */
export function createReplayBackend(recording: Recording, { speed = 1 }: ReplayOptions = {}): AgentBackend {
  return {
    name: "replay",
    digest: createHash("sha256").update(JSON.stringify(recording)).digest("hex"),
    probe: () => Promise.resolve({ version: "recording 1", ...ABLE }),
    run: (task, signal) =>
      streamEvents(async (emit, stop) => emit(await play(recording, { task, speed, emit }, stop)), signal),
  };
}

const ABLE = { structuredResult: true, readOnly: true, cost: false, turns: false, budget: false, resumes: false };

type Stage = { readonly task: AgentTask; readonly speed: number; readonly emit: Emit };

async function play(recording: Recording, stage: Stage, signal: AbortSignal): Promise<AgentEnd> {
  const execution = findExecution(recording, stage.task);
  if (execution === undefined) return notRecorded(stage.task);
  try {
    for (const step of execution.steps) {
      await delay(step.after / stage.speed, undefined, { signal });
      perform(step, stage);
    }
    signal.throwIfAborted();
  } catch (error) {
    if (signal.aborted) return { ...failed("aborted", "it was stopped"), again: true };
    const detail = error instanceof ProblemError ? error.message : `a recorded change cannot be made: ${String(error)}`;
    return failed("agent_failed", detail);
  }
  return recordedEnd(execution, stage.task);
}

type ReplayStep = Partial<Extract<RecordedExecution, { role: "phase" }>["steps"][number]>;

function perform(step: ReplayStep, { task, emit }: Stage): void {
  if (step.say !== undefined) emit({ type: "progress", text: step.say, usage: null });
  if (step.write !== undefined) writeContained(task.cwd, inItem(step.write.path, task), step.write.contents);
  if (step.delete !== undefined) deleteContained(task.cwd, inItem(step.delete, task));
}

function findExecution(recording: Recording, task: AgentTask): RecordedExecution | undefined {
  const attempt = Number(task.attempt.slice(task.attempt.lastIndexOf("#") + 1));
  return recording.executions.find(
    (execution) =>
      execution.phase === task.phase &&
      execution.role === task.role &&
      (execution.attempt ?? attempt) === attempt &&
      (execution.iteration ?? task.iteration) === task.iteration &&
      (execution.artifact === undefined || asksFor(task, inItem(execution.artifact, task))),
  );
}

const asksFor = ({ artifacts }: AgentTask, path: string): boolean => artifacts.length === 1 && artifacts[0] === path;

function recordedEnd(execution: RecordedExecution, task: AgentTask): AgentEnd {
  const facts = { type: "end", usage: execution.usage, session: null } as const;
  if (execution.role === "reviewer") {
    if (execution.verdict === null)
      return { ...failed("no_result", "the recorded reviewer gave no verdict"), ...facts };
    return { ...facts, how: "verdict", verdict: execution.verdict };
  }
  if (execution.result === null) return { ...failed("no_result", "the recorded agent gave no result"), ...facts };
  return { ...facts, how: "result", result: withItem(execution.result, task) };
}

const withItem = (result: AgentResult, task: AgentTask): AgentResult => ({
  ...result,
  artifacts: result.artifacts.map((path) => inItem(path, task)),
});

const inItem = (path: string, task: AgentTask): string => path.replace("{item}", () => task.item);

/** Failures are not retried: a replay would fail the same way. */
function failed(reason: FailureReason, detail: string): Extract<AgentEnd, { how: "failed" }> {
  return { type: "end", how: "failed", reason, detail, again: false, usage: null, session: null };
}

function notRecorded(task: AgentTask): AgentEnd {
  const what = `${task.role} of ${task.attempt}, turn ${task.iteration}`;
  return failed("no_result", `the recording has nothing for the ${what}; use another agent to continue`);
}
