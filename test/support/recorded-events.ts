import { createJournalReader } from "../../src/adapters/journal/create-journal-reader.ts";
import { findProject, journalOptions } from "../../src/compose/project-location.ts";
import type { RunEvent } from "../../src/schema/event.ts";

/**
 * Reads all events of the newest run like `isdlc history --json`, without starting a process.
 * @throws if that command would fail.
 */
export function recordedEvents(root: string, env: Readonly<Record<string, string>>): readonly RunEvent[] {
  const reader = createJournalReader(journalOptions(findProject(root, env), root));
  const newest = reader.newest();
  return newest === null ? [] : reader.events(newest);
}
