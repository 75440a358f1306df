export { createPostgresJournal } from "./journal-postgres/create-postgres-journal.ts";
export { migrateDatabase } from "./journal-postgres/migrate-database.ts";
export { openPool } from "./journal-postgres/open-pool.ts";
export { createReaderSeal, createTeamSeal } from "./seal/team-seal.ts";
