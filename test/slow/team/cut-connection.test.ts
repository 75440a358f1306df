import { afterAll, describe, expect, test } from "vitest";
import { openPool } from "../../../team/src/journal-postgres/open-pool.ts";
import type { SubmitResult } from "../../../src/ports/journal.ts";
import { begin, mark, marksIn, RUN } from "../../journal-file/sample-commands.ts";
import { createCuttingProxy } from "./support/cutting-proxy.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

/** More messages than one decision needs, including the connection. */
const MAX_MESSAGES = 30;

describe.runIf(hasPostgres)("cut database connection", () => {
  test.for(["before", "after"] as const)(
    "records the decision once or not at all if it is cut %s any message",
    async (when) => {
      const { url, pool } = await freshDatabase();
      const proxy = await createCuttingProxy(url);
      afterAll(() => proxy.close());
      await openJournal(pool).create(RUN, begin(RUN));
      const marks: string[] = [];
      let cuts = 0;
      for (let message = 1; message <= MAX_MESSAGES; message++) {
        const name = `cut.${message}`;
        const isCut = await submitThrough(name, () => proxy.cutAt(message, when));
        marks.push(name);
        expect(marksIn(await openJournal(pool).events(RUN)), `cut ${when} message ${message}`).toEqual(marks);
        if (!isCut) break;
        cuts++;
      }
      expect(cuts).toBeGreaterThan(5);
      expect(cuts).toBeLessThan(MAX_MESSAGES);

      /** Submits over a connection that will be cut, then again over an intact one, like a client without a reply. */
      async function submitThrough(name: string, cut: () => void): Promise<boolean> {
        const own = openPool(proxy.url, 2);
        const journal = openJournal(own);
        const send = (): Promise<SubmitResult> =>
          journal.submitAs(RUN, mark(name), {
            by: { kind: "person", id: "ada" },
            request: name,
            also: async (client) => void (await client.query("select 1")),
          });
        try {
          cut();
          const first = await send().catch(() => null);
          if (first === null) expect(await send()).toMatchObject({ ok: true, events: [{ agent: { name } }] });
          return proxy.seen.isCut;
        } finally {
          await own.end();
        }
      }
    },
  );
});
