import { describe, expect, test, vi } from "vitest";
import { hasPostgres } from "./support/team-database.ts";
import { findProblems } from "./support/run-problems.ts";
import { createTeam, type Team } from "./support/team.ts";
import { beginRun, look, PATIENCE, untilEnded } from "./support/team-runs.ts";

async function readNames(team: Team, run: string): Promise<{ item: string; branch: string }> {
  const { state } = await look(team, run);
  if (state.is === "none") throw new Error(`${run} was not begun`);
  return { item: state.run.item, branch: state.run.git?.branch ?? "" };
}

describe.runIf(hasPostgres)("runs with the same title started simultaneously", () => {
  test("get different branches and all end", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [{ writes: { "src/made.js": "export const made = 1;\n" } }] } });
    await Promise.all([team.worker("w1"), team.worker("w2")]);
    const runs = await Promise.all([1, 2].map(() => beginRun(team)));
    await Promise.all(runs.map((run) => untilEnded(team, run)));
    for (const run of runs) expect(await findProblems(team, run)).toEqual([]);
    const names = await Promise.all(runs.map((run) => readNames(team, run)));
    expect(names.map(({ branch }) => branch).toSorted()).toEqual(["change/add-a-greeting", "change/add-a-greeting-2"]);
  });

  test("get different numbers", async () => {
    const team = await createTeam();
    await Promise.all([team.worker("w1"), team.worker("w2")]);
    const runs = await Promise.all([1, 2].map(() => beginRun(team, { workflow: "feature" })));
    const names = await Promise.all(runs.map((run) => vi.waitFor(() => readNames(team, run), PATIENCE)));
    expect(names.map(({ item }) => item).toSorted()).toEqual([
      "docs/requirements/REQ-0001-add-a-greeting",
      "docs/requirements/REQ-0002-add-a-greeting",
    ]);
  });
});
