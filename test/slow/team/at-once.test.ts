import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { shownDigest } from "../../../src/app/answer/answer.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam } from "./support/team.ts";
import { askPage, pageHeaders } from "./support/team-page.ts";
import { beginRun, look, untilRests } from "./support/team-runs.ts";

/** Milliseconds between the start of the program and the other answers, chosen to let each of them win. */
const LATER = [0, 200, 400, 800];

/**
 * Error in the web UI. At a gate it names the winner. A finish has no wait id, and the error only says that none is
 * open.
 */
const TOLD = { gate: /"COMMAND_REFUSED".* answered it before you: /, finish: /"COMMAND_REFUSED"/ };

describe.runIf(hasPostgres)("every gate of a run", () => {
  test("accepts one of three simultaneous answers from web UI, terminal and script", async () => {
    const team = await createTeam();
    await team.worker("w1");
    const [bobs, carls] = [await team.token("person", "bob"), await team.token("person", "carl")];
    for (const person of ["bob", "carl"]) await team.administer("role", "sample", person, "reviewer");
    const headers = await pageHeaders(team, bobs);
    const run = await beginRun(team);

    /** Returns the winner: the web UI, the script or the terminal. */
    const answer = async ({ wait }: ActiveRun, after: number): Promise<string> => {
      const option = wait?.kind === "finish" ? "keep" : "continue";
      const shown = shownDigest({ wait });
      const body = { wait: wait?.id, shown, option };
      const started = team.as(team.adas, "answer", option, "--run", run, "--shown", shown, "--record-only");
      await delay(after);
      const [page, script, terminal] = await Promise.all([
        askPage(team, `/runs/${run}/answer`, { headers, body }),
        team.ask(carls, `/api/runs/${run}/answer`, body),
        started,
      ]);
      const onPage = await page.text();
      const told = [page.status, onPage, script.status, JSON.stringify(script.body), terminal.stderr].join("\n");
      const refused = [
        page.status === 409 && TOLD[wait?.kind === "finish" ? "finish" : "gate"].test(onPage),
        script.status === 409 && script.body.problem.code === "COMMAND_REFUSED",
        terminal.code === 1 && /^COMMAND_REFUSED: \S/.test(terminal.stderr),
      ];
      const counted = [page.status === 200, script.status === 200, terminal.code === 0];
      expect(counted.filter(Boolean), told).toHaveLength(1);
      expect(refused.filter(Boolean), told).toHaveLength(2);
      return ["page", "script", "terminal"][counted.indexOf(true)] ?? "";
    };

    const winners: string[] = [];
    while ((await untilRests(team, run)) !== "ended") {
      const { state } = await look(team, run);
      if (state.is === "active" && state.wait !== null)
        winners.push(await answer(state, LATER[winners.length % LATER.length] ?? 0));
    }
    console.log(`who counted: ${winners.join(", ")}`);
    expect(winners).toHaveLength(4); // three gates and the finish
    expect(await findProblems(team, run)).toEqual([]);
  });
});
