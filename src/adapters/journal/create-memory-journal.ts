import { createHash } from "node:crypto";
import { evolve } from "../../core/evolve/evolve.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Decide, Head, LocalJournal, LoadedRun, SubmitResult } from "../../ports/journal.ts";
import type { EventDraft, RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Clock } from "../../ports/processes.ts";

type Run = { state: RunState; hash: string; readonly events: RunEvent[] };

type Memory = {
  readonly clock: Clock;
  readonly runs: Map<RunId, Run>;
  readonly waiting: Set<() => void>;
  /** Events there were when each run was last looked at. */
  readonly seen: Map<RunId, number>;
};

/** A journal for tests: the same promises, gone with the process. */
export function createMemoryJournal(clock: Clock, decide: Decide): LocalJournal {
  const memory: Memory = { clock, runs: new Map(), waiting: new Set(), seen: new Map() };
  return {
    newest: () => [...memory.runs.keys()].at(-1) ?? null,
    current() {
      const run = [...memory.runs.keys()].at(-1);
      return run === undefined ? null : { run, ...load(memory, run) };
    },
    load: (run) => load(memory, run),
    events: (run) => [...(memory.runs.get(run)?.events ?? [])],
    part: (run, { from, most }) =>
      (memory.runs.get(run)?.events ?? []).filter(({ seq }) => seq >= from && seq < from + most),
    async submit(run, command) {
      await Promise.resolve();
      const now = load(memory, run);
      const decision = decide(now.state, command);
      if (!decision.ok) return { ok: false, ...now, refusal: decision.refusal };
      if (now.head.seq === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
      return append(memory, run, decision.events);
    },
    async create(run, start) {
      await Promise.resolve();
      for (const other of memory.runs.keys()) {
        const found = load(memory, other);
        if (found.state.is === "active") return { ok: false, ...found, refusal: { why: "runActive", run: other } };
        if (found.state.is === "ended" && other === run)
          return { ok: false, ...found, refusal: { why: "runEnded", how: found.state.how } };
      }
      const decision = decide(noRun, start);
      if (!decision.ok) return { ok: false, ...load(memory, run), refusal: decision.refusal };
      if (decision.events.length === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
      return append(memory, run, decision.events);
    },
    changed: (run, signal) => changed(memory, run, signal),
  };
}

function load(memory: Memory, run: RunId): LoadedRun {
  const found = memory.runs.get(run);
  memory.seen.set(run, found?.events.length ?? 0);
  return { state: found?.state ?? noRun, head: readHead(run, found) };
}

function append(memory: Memory, id: RunId, drafts: readonly EventDraft[]): SubmitResult {
  const run = memory.runs.get(id) ?? { state: noRun, hash: readHead(id, undefined).hash, events: [] };
  const at = memory.clock.now();
  const events = drafts.map((draft, index): RunEvent => ({ ...draft, seq: run.events.length + index + 1, at }));
  run.state = events.reduce(evolve, run.state);
  if (events.length > 0) run.hash = sha256(`${run.hash}\n${JSON.stringify(events)}`);
  run.events.push(...events);
  memory.runs.set(id, run);
  const now = load(memory, id);
  for (const wake of memory.waiting) wake();
  return { ok: true, ...now, events };
}

function changed(memory: Memory, run: RunId, signal: AbortSignal): Promise<void> {
  const count = (): number => memory.runs.get(run)?.events.length ?? 0;
  const before = memory.seen.get(run) ?? count();
  return new Promise((resolve) => {
    const wake = (): void => {
      if (count() === before && !signal.aborted) return;
      memory.waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    memory.waiting.add(wake);
    signal.addEventListener("abort", wake);
    wake();
  });
}

function readHead(run: RunId, found: Run | undefined): Head {
  return { seq: found?.events.length ?? 0, hash: found?.hash ?? sha256(run) };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
