import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Json } from "../../support/cli.ts";
import { claimDue } from "../../../team/src/notifications/notification-outbox.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";
import { createReceiver, type Receiver } from "./support/receiver.ts";
import { createTeam, type StartedProgram, type Team } from "./support/team.ts";
import { PATIENCE } from "./support/team-runs.ts";

const SERVING = ["--notify-hosts", "127.0.0.1"];

describe.runIf(hasPostgres)("due notification", () => {
  let team: Team;
  let receiver: Receiver;
  let server: StartedProgram;
  beforeAll(async () => {
    receiver = await createReceiver();
    team = await createTeam({ serving: SERVING });
    server = team.first;
  });

  async function hears(path: string, channel = "webhook"): Promise<void> {
    const { rows } = await team.database.pool.query(
      `insert into isdlc.notification_channel (person, channel, address, secret, occasions)
       values ('ada', $1, $2, 'whsec_c2VjcmV0', '{reviewer}')
       on conflict (person, channel) do update set address = $2 returning person`,
      [channel, receiver.url + path],
    );
    expect(rows).toHaveLength(1);
  }

  /** Runs in a separate process. The notification is stored before this resolves. */
  const name = (phase: string): Promise<Json> => team.administer("reviewers", "sample", phase, "ada");

  const rowOf = async (phase: string): Promise<Json> =>
    (await team.database.pool.query("select * from isdlc.notification where phase = $1", [phase])).rows[0];
  const untilOutcome = (phase: string, outcome: string): Promise<void> =>
    vi.waitFor(async () => expect((await rowOf(phase)).outcome).toBe(outcome), PATIENCE);
  const timePasses = (): Promise<unknown> =>
    team.database.pool.query("update isdlc.notification set due_at = now() where due_at is not null");

  test("is sent once if the server is killed between decision and sending", async () => {
    await hears("/killed");
    server.child.kill("SIGSTOP");
    await name("killed");
    server.child.kill("SIGKILL");
    await server.ended;
    expect(receiver.at("/killed")).toEqual([]);
    server = await team.server();
    await untilOutcome("killed", "sent");
    expect(receiver.at("/killed")).toHaveLength(1);
  });

  test("is sent again with the same id if its server is killed while it sends", async () => {
    await hears("/twice");
    receiver.answer("/twice", () => undefined);
    await name("twice");
    await receiver.until("/twice", 1);
    server.child.kill("SIGKILL");
    await server.ended;
    receiver.answer("/twice", (response) => response.writeHead(204).end());
    server = await team.server();
    expect((await rowOf("twice")).due_at.getTime()).toBeGreaterThan(Date.now());
    await timePasses();
    await untilOutcome("twice", "sent");
    const ids = receiver.at("/twice").map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test("is retried with growing pauses, then visibly given up", async () => {
    await hears("/busy");
    receiver.answer("/busy", (response) => response.writeHead(503).end());
    await name("busy");
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      await receiver.until("/busy", attempt);
      await vi.waitFor(async () => expect((await rowOf("busy")).why).toBe("it answered 503"), PATIENCE);
      const { due_at } = await rowOf("busy");
      if (due_at !== null) pauses.push(Math.round((due_at.getTime() - Date.now()) / 1000));
      await team.database.pool.query("update isdlc.notification set why = '' where outcome is null");
      await timePasses();
    }
    expect(pauses).toHaveLength(7);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    await untilOutcome("busy", "given-up");
    expect(receiver.at("/busy")).toHaveLength(8);
    await vi.waitFor(() => expect(server.said()).toContain("a notification was given up"), PATIENCE);
    const [channel] = (await team.askAt(urlOf())(team.adas, "/api/notifications")).body.channels;
    expect(channel.givenUp.why).toBe("it answered 503");
  });

  const urlOf = (): string => /Listening at (\S+)/.exec(server.said())?.[1] ?? "";

  test("waits only for slow endpoints of the same channel", async () => {
    await hears("/slow");
    await hears("/quick", "teams");
    receiver.answer("/slow", () => undefined);
    await name("slow");
    await receiver.until("/slow", 1);
    await name("next");
    await receiver.until("/quick", 2);
    expect(receiver.at("/slow")).toHaveLength(1);
    await team.database.pool.query("delete from isdlc.notification_channel");
  });

  test("is dropped if it is outdated or a day old", async () => {
    await hears("/late");
    server.child.kill("SIGSTOP");
    await name("withdrawn");
    await team.administer("reviewers", "sample", "withdrawn");
    await name("old");
    await team.database.pool.query(
      "update isdlc.notification set made_at = now() - interval '25 hours' where phase = 'old'",
    );
    server.child.kill("SIGCONT");
    await untilOutcome("withdrawn", "outdated");
    await untilOutcome("old", "outdated");
    expect(receiver.at("/late")).toEqual([]);
  });

  /** Transactions; a thousand gates with any cost would cause many more. */
  const SOME = 100;

  test("causes no database transactions until it is due, with 1,000 open gates", async () => {
    const { pool } = team.database;
    const committed = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 3000)); // measures a period without activity
      const { rows } = await pool.query(
        "select xact_commit::int as n from pg_stat_database where datname = current_database()",
      );
      return rows[0].n as number;
    };
    const first = await committed();
    const idle = (await committed()) - first;
    await pool.query(
      `insert into isdlc.run (run, place, repository, title, begun_by, head_hash, rests)
       select 'r' || n, 'r' || n, 'sample', 'x', 'ada', '', 'ended' from generate_series(1, 1000) n`,
    );
    await pool.query("update isdlc.notification_channel set occasions = '{gate}'");
    await pool.query("update isdlc.run set rests = 'wait', wait_id = 'w', wait_kind = 'gate' where run ~ '^r[0-9]'");
    const { rows } = await pool.query("select count(*)::int as n from isdlc.notification where occasion = 'gate'");
    expect(rows).toEqual([{ n: 1000 }]);
    await pool.query("update isdlc.notification set due_at = null, outcome = 'sent' where due_at is not null");
    const second = await committed();
    expect((await committed()) - second).toBeLessThanOrEqual(idle * 1.5 + SOME); // statistics arrive with a delay
  });
});

test.runIf(hasPostgres)("is claimed by one server, one at a time per channel", async () => {
  const people = 60;
  const { pool } = await freshDatabase(20);
  await pool.query("insert into isdlc.principal (id, kind) select 'p' || n, 'person' from generate_series(1, $1) n", [
    people,
  ]);
  await pool.query(
    "insert into isdlc.notification_channel (person, channel, address, occasions) select id, 'slack', '', '{}' from isdlc.principal",
  );
  await pool.query(
    `insert into isdlc.notification (person, channel, occasion, about)
     select person, channel, 'test', about from isdlc.notification_channel, (values ('first'), ('second')) a (about)`,
  );
  const looks = await Promise.all(Array.from({ length: 20 }, () => claimDue(pool, [], people)));
  const claimed = looks.flat().map(({ number }) => number);
  expect(new Set(claimed).size).toBe(claimed.length);
  expect(looks.filter((look) => look.length > 0).length).toBeGreaterThan(1);
  for (const look of looks) expect(new Set(look.map(({ person }) => person)).size).toBe(look.length);
  expect(
    await claimDue(
      pool,
      looks.flat().map(({ person, channel }) => `${person} ${channel}`),
      people,
    ),
  ).toEqual([]);
});
