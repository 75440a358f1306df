import { describe, expect, test } from "vitest";
import { next } from "../../src/core/next.ts";
import type { ActiveRun } from "../../src/core/run.ts";
import type { RepositoryStanding } from "../../src/schema/facts.ts";
import {
  accepted,
  ada,
  advance,
  completed,
  everyPhase,
  type Player,
  report,
  result,
  runOptions,
  startRun,
} from "../support/run-builder.ts";

const standing = (change: Partial<RepositoryStanding> = {}): RepositoryStanding => ({
  at: "refs/heads/feature/say-hello",
  tip: "c0ffee",
  base: "c0ffee",
  settings: {},
  ...change,
});

const active = ({ state }: Player): ActiveRun => {
  if (state.is !== "active") throw new Error(`the run is ${state.is}`);
  return state;
};

/** A run at its gate. The displayed tree has the given repository state. */
function atGate(shown = standing()): Player {
  const player = advance(startRun({ supervision: everyPhase }), "complete");
  const made = completed({ is: "absent" });
  if (!("made" in made)) throw new Error("no phase was completed");
  report(player, { ...made, made: { ...made.made, commitTree: "commit-tree-1", standing: shown, notices: [] } });
  return player;
}

const sayContinue = (player: Player): string[] => {
  const { wait } = active(player);
  if (wait?.kind !== "gate") throw new Error("no gate is open");
  return accepted(player, { do: "continue", by: ada, wait: wait.id, shown: wait.digest });
};

const asShown = { edited: [], tree: "tree-1", results: [], digest: "again" } as const;
const differs = {
  edited: [{ path: "planted", change: "added" as const }],
  tree: "tree-2",
  results: [result("shown as it is", false)],
  digest: "shown-3",
  commitTree: "commit-tree-2",
  standing: standing({ tip: "beef" }),
  notices: ["committed on the branch by someone else: beef Planted"],
};

describe("acceptance of a tree", () => {
  test("records the commit tree and the repository state at the gate", () => {
    const made = active(atGate()).phases[0]?.made;
    expect(made).toMatchObject({ tree: "tree-1", commitTree: "commit-tree-1", standing: standing() });
  });

  test("takes the completion time from before the proposed commit, which contains it", () => {
    const player = advance(startRun({ supervision: everyPhase }), "complete");
    const outcome = completed({ is: "absent" });
    const before = active(player).sinceAt;
    report(player, { ...outcome, made: { ...outcome.made, commitTree: "commit-tree-1", proposedCommit: "c0de" } });
    expect(active(player).phases[0]).toMatchObject({ completedAt: before, made: { proposedCommit: "c0de" } });
  });

  test.each([
    ["hooks changed its commit", { plainTree: "commit-tree-0" }, "gate.opened"],
    ["hooks changed nothing", {}, "phase.accepted"],
  ])("opens a gate or not in an unattended run if %s", (_, hooked, expected) => {
    const player = advance(startRun(), "complete");
    const outcome = completed({ is: "absent" });
    const made = { ...outcome.made, commitTree: "commit-tree-1", proposedCommit: "c0de", ...hooked };
    expect(report(player, { ...outcome, made })).toContain(expected);
  });

  test("reopens the gate with the new tree if the commit would differ", () => {
    const player = atGate();
    sayContinue(player);
    report(player, { of: "recheck", ...asShown });
    expect(next(player.state)).toMatchObject({ step: "commit" });
    expect(report(player, { of: "commit", differs })).toEqual(["phase.rechecked", "gate.opened"]);
    const { wait, phases, tip } = active(player);
    expect(wait).toMatchObject({ kind: "gate", digest: "shown-3", failures: [{ name: "shown as it is" }] });
    expect(phases[0]?.made).toMatchObject({ tree: "tree-2", commitTree: "commit-tree-2", notices: differs.notices });
    expect(tip).toBe("c0ffee");
  });

  test("commits the new tree after the approver accepts it", () => {
    const player = atGate();
    sayContinue(player);
    report(player, { of: "recheck", ...asShown });
    report(player, { of: "commit", differs });
    sayContinue(player);
    report(player, { of: "recheck", ...asShown, tree: "tree-2" });
    expect(report(player, { of: "commit", commit: "feed" })).toEqual(["phase.committed", "phase.left"]);
    expect(active(player)).toMatchObject({ tip: "feed", index: 1 });
  });

  test("keeps the displayed tree and repository state if the recheck finds no change", () => {
    const player = atGate();
    sayContinue(player);
    report(player, { of: "recheck", ...asShown });
    expect(active(player).phases[0]?.made).toMatchObject({ commitTree: "commit-tree-1", standing: standing() });
  });

  test("records a moved base as seen once the approver continues", () => {
    const player = atGate(standing({ base: "moved" }));
    expect(active(player).base).toBe("c0ffee");
    sayContinue(player);
    expect(active(player).base).toBe("moved");
  });
});

describe("merge of the accepted state", () => {
  const asked = (): Player => {
    const player = startRun({ options: runOptions({ finish: "ask" }) });
    return advance(player, "finish");
  };

  test("asks again if the base moved, and merges from the new state", () => {
    const player = asked();
    const choose = (how: "merge" | "keep"): string[] =>
      accepted(player, { do: "finish", by: ada, wait: active(player).wait?.id ?? "", how });
    choose("merge");
    const now = standing({ tip: "beef", base: "moved" });
    expect(report(player, { of: "finish", moved: ["main moved"], standing: now })).toEqual(["finish.asked"]);
    expect(active(player)).toMatchObject({
      wait: { kind: "finish", moved: ["main moved"], offered: ["merge", "squash", "pr", "keep"] },
      stage: { is: "finishing", how: null, seenAt: null },
      base: "c0ffee",
    });
    choose("merge");
    expect(active(player)).toMatchObject({ tip: "beef", base: "moved", stage: { how: "merge", seenAt: now.at } });
    expect(report(player, { of: "finish", merged: "aced" })).toEqual(["run.finished"]);
  });

  test("asks in an autonomous run too if the base moved", () => {
    const player = advance(startRun({ options: runOptions({ finish: "merge" }) }), "finish");
    report(player, { of: "finish", moved: ["main moved"], standing: standing({ base: "moved" }) });
    expect(next(player.state)).toMatchObject({ is: "wait", wait: { kind: "finish" } });
  });
});
