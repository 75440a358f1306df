import { createJournalReader } from "../../src/adapters/journal-file/create-journal-reader.ts";
import { findProject, journalOptions } from "../../src/compose/project-location.ts";
import type { RunEvent } from "../../src/schema/event.ts";

/** Every event of the newest run, as `isdlc history --json` reads them, without starting it. @throws as that would fail. */
export function recordedEvents(root: string, env: Readonly<Record<string, string>>): readonly RunEvent[] {
  const reader = createJournalReader(journalOptions(findProject(root, env), root));
  const newest = reader.newest();
  return newest === null ? [] : reader.events(newest);
}
