import type { AgentBackend, AgentEnd, AgentTask } from "../../src/ports/agent-backend.ts";

export type BackendRun = { readonly end: AgentEnd; readonly progress: readonly string[] };

/** Runs a task to its end. Fails unless the end is the one last event. */
export async function runBackend(backend: AgentBackend, task: AgentTask, signal?: AbortSignal): Promise<BackendRun> {
  const progress: string[] = [];
  const ends: AgentEnd[] = [];
  for await (const event of backend.run(task, signal ?? new AbortController().signal)) {
    if (ends.length > 0) throw new Error(`an event after the end: ${JSON.stringify(event)}`);
    if (event.type === "end") ends.push(event);
    else progress.push(event.text);
  }
  const [end] = ends;
  if (end === undefined) throw new Error("it ended without an end");
  return { end, progress };
}
