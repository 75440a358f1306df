import { describe, expect, test } from "vitest";
import {
  accepted,
  ada,
  advance,
  everyPhase,
  openWait,
  phaseRule,
  type Player,
  produced,
  report,
  runOptions,
  startRun,
} from "../support/run-builder.ts";
import { claim, gateAnswer } from "../support/run-scripts.ts";

const talked = { ...produced, session: "s1" } as typeof produced; // of "produce": the spread widens the union

/** The agent has worked in a conversation of its own. */
function afterTalk(player: Player): Player {
  advance(player, "produce");
  report(player, claim("x1"));
  report(player, talked);
  return player;
}

const sessionOf = ({ state }: Player): unknown =>
  state.is === "active" && "work" in state.stage ? state.stage.work.session : undefined;

describe("a conversation", () => {
  test("goes on with a redo, whose guidance is about it", () => {
    const player = advance(afterTalk(startRun({ supervision: everyPhase })), "gate");
    accepted(player, gateAnswer(openWait(player), "redo"));
    expect(sessionOf(advance(player, "produce"))).toBe("s1");
  });

  test("ends where a person starts the phase anew, or goes back to it", () => {
    const restarted = afterTalk(startRun());
    accepted(restarted, { do: "retry", wait: null, by: ada });
    expect(sessionOf(advance(restarted, "produce"))).toBeNull();
    const back = afterTalk(startRun());
    accepted(back, { do: "back", by: ada, to: "01-requirements", tree: "keep" });
    expect(sessionOf(advance(back, "produce"))).toBeNull();
  });

  const two = (analysis: boolean) =>
    ["01-requirements", "02-impact-analysis"].map((key) => phaseRule({ key, analysis }));
  const other = { name: "codex", digest: "sha256:other" };

  test.for([
    ["phases of an analysis share one where that is wanted", { session: "shared" as const }, true, {}, "s1"],
    ["each phase has its own where nothing is said", {}, true, {}, null],
    ["only an analysis is shared", { session: "shared" as const }, false, {}, null],
    [
      "another agent has its own",
      { session: "shared" as const },
      true,
      { agents: { "02-impact-analysis": other } },
      null,
    ],
  ] as const)("%s", ([, options, analysis, agents, expected]) => {
    const player = afterTalk(startRun({ plan: two(analysis), options: runOptions(options), ...agents }));
    advance(player, "enter");
    expect(sessionOf(advance(player, "produce"))).toBe(expected);
  });
});
