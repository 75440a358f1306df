import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startOwnDatabase, postgresPrograms } from "../../../../team/src/database/own-database.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the tests' PostgreSQL, as superuser, if one is installed. */
    postgres: string | null;
  }
}

const INSTALL = "apt-get install postgresql";

let stop = (): Promise<void> => Promise.resolve();

/** Starts PostgreSQL in a temporary folder, once for all tests of the suite. */
export async function setup(project: TestProject): Promise<void> {
  const where = { root: import.meta.dirname, path: process.env["PATH"] ?? "" };
  if (postgresPrograms(where.root, where.path) === null) {
    if (process.env["CI"] !== undefined) throw new Error(`PostgreSQL is not installed: ${INSTALL}`);
    console.warn(`SKIPPED: the tests for teams need PostgreSQL. Install it with: ${INSTALL}`);
    project.provide("postgres", null);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "isdlc-postgres-"));
  const database = await startOwnDatabase({ folder, ...where });
  stop = async () => {
    await database.stop("immediate");
    removeTemporary(folder);
  };
  project.provide("postgres", database.url.slice(0, database.url.lastIndexOf("/")));
}

export const teardown = (): Promise<void> => stop();
