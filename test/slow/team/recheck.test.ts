import { beforeAll, describe, expect, test, vi } from "vitest";
import { createForgingProxy, type ForgingProxy } from "./support/forging-proxy.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilRests } from "./support/team-runs.ts";

describe.runIf(hasPostgres)("a repository with the policy --recheck", () => {
  let team: Team;
  let proxy: ForgingProxy;
  let honest: string;
  let forged: string;
  let forgedWaits: Promise<void>;

  /** Two runs at the same time: w1 reports passed tests for one of them. */
  beforeAll(async () => {
    team = await createTeam();
    await team.administer("policy", "sample", "--recheck", "on");
    proxy = await createForgingProxy(team.url);
    [honest, forged] = [await beginRun(team), await beginRun(team, { title: "another greeting" })];
    proxy.forge(new RegExp(`/${forged}/commands$`), (body) => {
      const command = body["command"] as { readonly outcome?: { readonly of?: string; readonly results?: object[] } };
      if (command.outcome?.of !== "check") return body;
      const results = [...(command.outcome.results ?? []), { name: "tests", ok: true, detail: "" }];
      return { ...body, command: { ...command, outcome: { ...command.outcome, results } } };
    });
    await team.workerAt(proxy.url, "w1");
    forgedWaits = answerTwice(forged);
  });

  async function answerTwice(run: string): Promise<void> {
    for (let answers = 0; (await untilRests(team, run)) === "wait" && answers < 2; answers++)
      await answerOpen(team, run);
  }

  /** Answers until the checks of the last phase wait for another worker than w1. */
  async function untilFirstCheck(run: string): Promise<void> {
    await vi.waitFor(async () => {
      const { rests, first_check: first } = await team.row(run);
      if (rests === "wait") await answerOpen(team, run);
      expect(first).toMatchObject({ worker: "w1" });
    }, PATIENCE);
  }

  test("repeats the checks of the last phase on a second worker, and names both at the gate", async () => {
    const run = honest;
    await untilFirstCheck(run);
    await team.database.pool.query("update isdlc.run set asked_at = now() - interval '1 hour' where run = $1", [run]);
    const doctor = await team.ada.start(["server", "doctor", "--json"], { ISDLC_DATABASE_URL: team.database.url })
      .ended;
    expect(doctor.stdout).toContain(`${run} (needs another worker than w1, to repeat its checks)`);
    await team.worker("w2");
    await untilRests(team, run);
    const { events } = await look(team, run);
    const passed = events.filter((event) => event.type === "checks.passed");
    expect(passed.map(({ checkedBy }) => checkedBy)).toEqual([undefined, undefined, ["w1", "w2"]]);
    const gate = await team.as(team.adas, "gate", "--run", run);
    expect(gate.stdout).toContain("Checks and review: reported by w1, w2, not verified");
    expect(gate.stdout).toContain("Checks: run by w1 and again by w2, with the same result");
    expect((await team.as(team.adas, "team", "policy", "sample")).stdout).toContain(
      "A second worker repeats the checks",
    );
    await team.ask(team.adas, `/api/runs/${run}/answer`, { wait: null, shown: "", option: "cancel", text: "done" });
  });

  test("opens no gate for a check that the second worker does not confirm", async () => {
    await forgedWaits;
    const { events } = await look(team, forged);
    const first = events.find((event) => event.type === "checks.failed");
    const detail = expect.stringMatching(
      /^Two workers report different results\. w\d: .*passed.*not reported|not reported.*passed/,
    );
    expect(first?.results).toContainEqual({ name: "tests", ok: false, detail });
  });
});
