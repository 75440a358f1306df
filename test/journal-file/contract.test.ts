import { createMemoryJournal } from "../../src/adapters/journal-memory/create-memory-journal.ts";
import { describeJournal } from "../contracts/journal.ts";
import { newTree, openJournalOf, stillClock } from "./sample-run.ts";

describeJournal("the journal in files", () => openJournalOf(newTree()));
describeJournal("the journal in memory", () => createMemoryJournal(stillClock));
