import { DBOS } from "@dbos-inc/dbos-sdk";

/** Makes the tables of the queue, or brings them up to date. Its library tells so on stdout, where our own answers are. */
export async function migrateQueue(url: string): Promise<void> {
  const { log, info, warn } = console;
  const silence = (): void => undefined;
  Object.assign(console, { log: silence, info: silence, warn: silence });
  try {
    await DBOS.migrate(url);
  } finally {
    Object.assign(console, { log, info, warn });
  }
}
