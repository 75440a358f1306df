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

/** Ends an execution of the phase with session s1. */
function afterTalk(player: Player): Player {
  advance(player, "produce");
  report(player, claim("x1"));
  report(player, talked);
  return player;
}

const sessionOf = ({ state }: Player): unknown =>
  state.is === "active" && "work" in state.stage ? state.stage.work.session : undefined;

describe("agent conversation", () => {
  test("continues in a redo", () => {
    const player = advance(afterTalk(startRun({ supervision: everyPhase })), "gate");
    accepted(player, gateAnswer(openWait(player), "redo"));
    expect(sessionOf(advance(player, "produce"))).toBe("s1");
  });

  test("ends if the user restarts the phase or returns to it", () => {
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
    ["shares one conversation between analysis phases if configured", { session: "shared" as const }, true, {}, "s1"],
    ["starts a conversation per phase by default", {}, true, {}, null],
    ["shares conversations in analysis phases only", { session: "shared" as const }, false, {}, null],
    [
      "starts a conversation for a different agent",
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
