import { createMemoryJournal } from "../../src/adapters/journal/create-memory-journal.ts";
import type { LocalJournal } from "../../src/ports/journal.ts";
import { describeJournal, type JournalHome } from "../contracts/journal.ts";
import { newTree, openTreeJournal, stillClock } from "./sample-run.ts";

describeJournal("the journal in files", () => {
  const tree = newTree();
  return { open: (decide) => openTreeJournal(tree, { decide }) };
});

describeJournal("the journal in memory", memoryHome);

/** Memory has no outside: whoever opens it has the one that is there. */
function memoryHome(): JournalHome {
  let journal: LocalJournal | undefined;
  return { open: (decide) => (journal ??= createMemoryJournal(stillClock, decide)) };
}

/** A journal elsewhere: no answer comes at once, and every command and answer has been text on the way. */
describeJournal("a journal that answers later", () => {
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
  return JSON.parse(JSON.stringify(value)) as T; // the same, if it can travel
}
