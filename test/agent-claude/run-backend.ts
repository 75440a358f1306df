import type { AgentBackend, AgentEnd, AgentTask } from "../../src/ports/agent-backend.ts";
import type { AgentSign } from "../../src/schema/agent.ts";

export type BackendRun = {
  readonly end: AgentEnd;
  /** Progress shown to users. */
  readonly progress: readonly string[];
  /** Signs reported to the execution watch. */
  readonly signs: readonly AgentSign[];
};

/** Runs a task to its end. Fails unless there is exactly one end event, the last one. */
export async function runBackend(backend: AgentBackend, task: AgentTask, signal?: AbortSignal): Promise<BackendRun> {
  const progress: string[] = [];
  const signs: AgentSign[] = [];
  const ends: AgentEnd[] = [];
  for await (const event of backend.run(task, signal ?? new AbortController().signal)) {
    if (ends.length > 0) throw new Error(`an event after the end: ${JSON.stringify(event)}`);
    if (event.type === "progress" && event.sign !== undefined) signs.push(event.sign);
    if (event.type === "end") ends.push(event);
    else if (event.text !== "") progress.push(event.text);
  }
  const [end] = ends;
  if (end === undefined) throw new Error("it ended without an end");
  return { end, progress, signs };
}
