import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createToken } from "../../src/adapters/identity/operator-token.ts";
import { createMemoryJournal } from "../../src/adapters/journal/create-memory-journal.ts";
import type { Project } from "../../src/app/project/project.ts";
import { composeEngine } from "../../src/compose/compose-engine.ts";
import { openProject } from "../../src/compose/project.ts";
import { decide } from "../../src/core/decide/decide.ts";
import type { RunAgents } from "../../src/schema/run-agents.ts";
import { initRepository, newBase, type TestProject, placeIn } from "../support/instant-run.ts";
import type { DriverLock } from "../../src/ports/processes.ts";

const IDENTITY = [
  ["user.name", "Person"],
  ["user.email", "p@example.org"],
] as const;

export type MemoryProject = {
  readonly place: TestProject;
  readonly project: Project;
  readonly agents: RunAgents;
  readonly token: string;
};

/** A project with journal and driver in memory and a recording as agent: without terminal or programs. */
export function memoryProject(executions: readonly object[]): MemoryProject {
  const place = placeIn(newBase());
  initRepository(place);
  for (const [name, value] of IDENTITY) execFileSync("git", ["config", name, value], { cwd: place.root });
  const recording = join(place.base, "recording.json");
  writeFileSync(recording, JSON.stringify({ recording: 1, executions }));
  const replay = { name: "replay", argv: [recording, "Infinity"] };
  const local = openProject(place.root, place.env);
  const token = createToken(local.folders.config, "2026-01-01T00:00:00.000Z");
  const project = {
    ...local,
    journal: createMemoryJournal(local.clock, decide),
    driver: createMemoryLock(),
    callers: { ...local.callers, identify: () => ({ kind: "nobody" }) as const, suspicion: () => null },
    tokens: { ...local.tokens, changedAt: () => null },
    siblings: () => [],
  };
  const engine: Project["engine"] = (run, wanted) => composeEngine(project, run, wanted);
  return { place, project: { ...project, engine }, agents: { phase: replay, reviewer: replay }, token };
}

function createMemoryLock(): DriverLock {
  let isHeld = false;
  return {
    holder: () => (isHeld ? process.pid : null),
    otherHolder: () => null,
    tryAcquire() {
      if (isHeld) return { ok: false, pid: process.pid };
      isHeld = true;
      return { ok: true, release: () => void (isHeld = false) };
    },
  };
}
