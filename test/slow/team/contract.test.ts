import { describe } from "vitest";
import { describeJournal } from "../../contracts/journal.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

describe.runIf(hasPostgres)("PostgreSQL journal", () => {
  describeJournal("the journal in a database", async () => {
    const { pool } = await freshDatabase();
    return { open: (decide) => openJournal(pool, decide) };
  });
});
