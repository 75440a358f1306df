import { beforeAll, describe, expect, test } from "vitest";
import { genesis, encodeRecord } from "../../../src/adapters/journal/record.ts";
import type { EventDraft } from "../../../src/schema/event.ts";
import { createForgingProxy, type ForgingProxy } from "./support/forging-proxy.ts";
import { createHome, type Home } from "./support/second-home.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { look } from "./support/team-runs.ts";

type Lines = readonly string[];
type DecisionLine = { readonly seq: number; readonly at: string; readonly events: EventDraft[] };

const MARK = { mark: () => "0".repeat(64), fits: () => true };

/** The same run with changed events and matching hashes. */
function rewritten(run: string, lines: Lines, change: (decided: DecisionLine[]) => DecisionLine[]): Lines {
  let previous = genesis(run);
  return change(lines.map((line) => JSON.parse(line) as DecisionLine)).map(({ seq, at, events }) => {
    const { line, hash } = encodeRecord({ seq, at, events }, previous, MARK);
    previous = hash;
    return line.toString("utf8").slice(0, -1);
  });
}

const CAROL = { name: "carol", channel: "terminal" } as const;

/** Adds an answer to the open gate under another user's name. */
function answeredByCarol(decided: DecisionLine[]): DecisionLine[] {
  const last = decided.at(-1);
  const seq = (last?.seq ?? 0) + (last?.events.length ?? 0);
  const gate = decided.flatMap(({ events }) => events).findLast((event) => event.type === "gate.opened");
  const opened = seq - 1;
  const answer = { type: "gate.answered", wait: `plan#1/gate-${opened}`, choice: "continue", by: CAROL } as const;
  const event: EventDraft = { ...answer, guidance: null, shown: gate?.type === "gate.opened" ? gate.digest : "" };
  return [...decided, { seq, at: last?.at ?? "", events: [event] }];
}

const withStart =
  (change: (started: Extract<EventDraft, { type: "run.started" }>) => EventDraft) =>
  (decided: DecisionLine[]): DecisionLine[] =>
    decided.map((one) => ({
      ...one,
      events: one.events.map((event) => (event.type === "run.started" ? change(event) : event)),
    }));

describe.runIf(hasPostgres)("forged run that a user pushes to the team [S7]", () => {
  let team: Team;
  let proxy: ForgingProxy;
  let bob: Home;
  let run: string;
  beforeAll(async () => {
    team = await createTeam();
    proxy = await createForgingProxy(team.url);
    bob = await createHome(team, "bob", proxy.url);
    run = await bob.begin("--merge");
  });

  const push = async (change: (decided: DecisionLine[]) => DecisionLine[]) => {
    proxy.forge(/take-in/, (body) => ({ ...body, lines: rewritten(run, body["lines"] as Lines, change) }));
    return bob.says("push-run");
  };

  test.for<[string, (decided: DecisionLine[]) => DecisionLine[]]>([
    ["the main branch as its branch", withStart((e) => ({ ...e, git: e.git && { ...e.git, branch: "main" } }))],
    ["the branch of someone else", withStart((e) => ({ ...e, git: e.git && { ...e.git, branch: "release/1.0" } }))],
    ["a different base", withStart((e) => ({ ...e, git: e.git && { ...e.git, base: "production" } }))],
    ["an event of the server", (all) => [...all, broughtIn(all)]],
  ])("is refused with %s", async ([, change]) => {
    expect(await push(change)).toMatchObject({
      code: expect.any(Number),
      stderr: expect.stringContaining("RUN_NOT_MOVABLE"),
    });
    expect(bob.openRun()).toBe(run);
    expect(await team.row(run)).toBeUndefined();
  });

  test("is refused under a policy with an answer of someone else or without a phase", async () => {
    await team.administer("policy", "sample", "--four-eyes", "on");
    expect((await push(answeredByCarol)).stderr).toContain("accepted elsewhere");
    const short = withStart((e) => ({ ...e, plan: e.plan.filter(({ key }) => key !== "final-review") }));
    expect((await push(short)).stderr).toContain("final-review");
    await team.administer("policy", "sample", "--four-eyes", "off");
    expect(await team.row(run)).toBeUndefined();
  });

  test("labels imported answers with the user who pushed them and asks how to finish", async () => {
    expect(await push(answeredByCarol)).toMatchObject({ code: 0 });
    const { state } = await look(team, run);
    if (state.is !== "active") throw new Error("the run is not open");
    expect(state.run.options).toMatchObject({ finish: "ask", sizing: "ask" });
    expect(state.answers.map(({ by }) => by)).toMatchObject([{ name: "carol", broughtBy: "bob" }]);
    const history = await team.as(team.adas, "history", "--run", run);
    expect(history.stdout).toContain("carol (terminal, brought by bob)");
    expect(history.stdout).toContain("brought to the team by bob");
    const { findings } = await team.administer("doctor");
    const detail = expect.stringMatching(new RegExp(`^${run} by bob \\(\\d+ unverified decisions\\)$`));
    expect(findings).toContainEqual({ what: "brought runs", isFine: true, detail });
  });

  test("requires acceptance by someone who did not bring the run, under four eyes", async () => {
    const other = await createTeam();
    const [carol, dave] = [await createHome(other, "carol"), await createHome(other, "dave")];
    const moved = await carol.begin();
    const ok = expect.objectContaining({ code: 0 });
    expect(await carol.says("push-run")).toEqual(ok);
    expect(await dave.says("pull-run", "--run", moved)).toEqual(ok);
    expect(await dave.decides("redo", "In my way", ...other.ada.agent)).toMatchObject({ code: 3 });
    expect(await dave.says("push-run")).toEqual(ok);
    await other.administer("policy", "sample", "--four-eyes", "on");
    for (const home of [carol, dave])
      expect((await home.says("continue", "--run", moved)).stderr).toContain("NOT_ALLOWED");
    const { state } = await look(other, moved);
    expect(state.is === "active" ? state.wait?.kind : null).toBe("gate");
  });
});

function broughtIn(all: DecisionLine[]): DecisionLine {
  const last = all.at(-1);
  const seq = (last?.seq ?? 0) + (last?.events.length ?? 0);
  const options = { finish: "ask", sizing: "ask", redTests: "ask" } as const;
  const event = { type: "run.broughtIn", by: "carol", from: 1, to: seq - 1, options, gates: [] } as const;
  return { seq, at: last?.at ?? "", events: [{ ...event, gates: [], supervision: { enabled: false, phases: "all" } }] };
}
