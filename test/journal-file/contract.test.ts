import { createMemoryJournal } from "../../src/adapters/journal/create-memory-journal.ts";
import type { LocalJournal } from "../../src/ports/journal.ts";
import { describeJournal, type JournalHome } from "../contracts/journal.ts";
import { newTree, openTreeJournal, stillClock } from "./sample-run.ts";

describeJournal("journal in files", () => {
  const tree = newTree();
  return { open: (decide) => openTreeJournal(tree, { decide }) };
});

describeJournal("the journal in memory", memoryHome);

/** An in-memory home: each journal opened from it is the same one. */
function memoryHome(): JournalHome {
  let journal: LocalJournal | undefined;
  return { open: (decide) => (journal ??= createMemoryJournal(stillClock, decide)) };
}

/** A remote journal: answers arrive later, and commands and answers are sent as text. */
describeJournal("journal with delayed answers", () => {
  const home = memoryHome();
  return {
    async open(decide) {
      const journal = await home.open(decide);
      return {
        newest: async () => await journal.newest(),
        current: async () => travelled(await journal.current()),
        load: async (run) => travelled(await journal.load(run)),
        events: async (run) => travelled(await journal.events(run)),
        submit: async (run, command) => travelled(await journal.submit(run, travelled(command))),
        create: async (run, start) => travelled(await journal.create(run, travelled(start))),
        changed: (run, signal) => journal.changed(run, signal),
      };
    },
  };
});

function travelled<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // The same value, converted to text and back.
}
