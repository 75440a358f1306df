import { describe, expect, test, vi } from "vitest";
import { parsed } from "../../support/cli.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { answerOpen, beginRun, PATIENCE, untilEnded, untilRests } from "./support/team-runs.ts";

const MADE = { writes: { "src/made.js": "export const made = 1;\n" } };
/** Milliseconds; the agent works until it is ended. */
const LONG = 2 ** 30;

type Holding = { readonly run: string; readonly instance: string };

const holdersOf = async (team: Team): Promise<readonly Holding[]> =>
  (
    await team.database.pool.query<Holding>(
      "select run, instance from isdlc.run where rests = 'action' and worker = 'w1' order by run",
    )
  ).rows;

describe.runIf(hasPostgres)("two processes with one token", () => {
  test("hold and keep their own runs, are listed by doctor, and lose only those of a killed process", async () => {
    const team = await createTeam({ serving: ["--drives", "1"] });
    team.ada.plan({ turns: { implement: [{ ...MADE, delay: LONG }, { ...MADE, delay: LONG }, MADE, MADE] } });
    const [first, second] = [await team.worker("w1"), await team.worker("w1")];
    const runs = [await beginRun(team), await beginRun(team)];
    for (const run of runs) await untilRests(team, run);
    for (const run of runs) await answerOpen(team, run);
    const working = () => team.ada.log().filter(({ key }) => key === "implement");
    await vi.waitFor(() => expect(working()).toHaveLength(2), PATIENCE);
    const held = await holdersOf(team);
    expect(held.map(({ run }) => run)).toEqual(runs.toSorted());
    expect(new Set(held.map(({ instance }) => instance)).size).toBe(2);

    const doctor = team.ada.start(["server", "doctor", "--json"], { ISDLC_DATABASE_URL: team.database.url });
    const found = parsed(await doctor.ended).findings.find(({ what }: { what: string }) => what === "workers");
    expect(found).toMatchObject({ isFine: true, detail: expect.stringContaining("2 processes use the token of w1") });
    // Longer than a lease: neither takes the run of the other, and no agent is restarted.
    const { rows } = await team.database.pool.query("select max(beat) as beat from isdlc.worker");
    await vi.waitFor(async () => {
      const later = await team.database.pool.query("select min(beat) as beat from isdlc.worker");
      expect(Number(later.rows[0].beat)).toBeGreaterThan(Number(rows[0].beat) + BEATS_OF_TWO_LEASES);
    }, PATIENCE);
    expect(await holdersOf(team)).toEqual(held);
    expect(working()).toHaveLength(2);

    first.child.kill("SIGKILL");
    await first.ended;
    const [lost] = await vi.waitFor(async () => {
      const now = await holdersOf(team);
      const freed = held.filter(
        ({ run, instance }) => !now.some((one) => one.run === run && one.instance === instance),
      );
      expect(freed).toHaveLength(1);
      return freed;
    }, PATIENCE);
    const kept = held.find(({ run }) => run !== lost?.run);
    expect(await holdersOf(team)).toContainEqual(kept);
    expect(working()).toHaveLength(2); // the other process drives its maximum
    await team.worker("w1");
    await untilEnded(team, lost?.run ?? "");
    expect(await holdersOf(team)).toEqual([kept]);
    expect(await findProblems(team, lost?.run ?? "")).toEqual([]);
    expect(working()).toHaveLength(3);
    second.child.kill("SIGTERM");
    await second.ended;
    await untilEnded(team, kept?.run ?? "");
    expect(await findProblems(team, kept?.run ?? "")).toEqual([]);
  });
});

/** At a heartbeat every 0.5 s and a lease of 3 s. */
const BEATS_OF_TWO_LEASES = 12;
