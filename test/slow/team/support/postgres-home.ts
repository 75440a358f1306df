import { generateKeyPairSync } from "node:crypto";
import { decide as rules } from "../../../../src/core/decide/decide.ts";
import type { Decide } from "../../../../src/ports/journal.ts";
import {
  createPostgresJournal,
  type PostgresJournal,
} from "../../../../team/src/journal-postgres/create-postgres-journal.ts";
import type { Pool } from "../../../../team/src/journal-postgres/open-pool.ts";
import { createTeamSeal } from "../../../../team/src/seal/team-seal.ts";

export const teamSeal = createTeamSeal(generateKeyPairSync("ed25519").privateKey);

/** Opens the journal like a separate process. */
export const openJournal = (pool: Pool, decide: Decide = rules): PostgresJournal =>
  createPostgresJournal({
    pool,
    seal: teamSeal,
    clock: { now: () => new Date().toISOString() },
    decide,
    place: "here",
    sender: "ada",
  });
