import { expect, test } from "vitest";
import {
  accepted,
  activeRun,
  ada,
  advance,
  completed,
  everyPhase,
  keeps,
  openWait,
  phaseRule,
  type Player,
  redo,
  report,
  result,
  startRun,
} from "../support/run-builder.ts";

const PLAN = ["01-requirements", "03-architecture", "06-implementation"].map((key) => phaseRule({ key, name: key }));

/** Runs to the gate of the current phase, which shows `tree`. */
function openGate(player: Player, tree: string): void {
  advance(player, "complete");
  const outcome = completed(keeps);
  report(player, { ...outcome, made: { ...outcome.made, tree }, digest: `shown ${tree}` });
}

function atGate(tree = "made"): Player {
  const player = startRun({ supervision: everyPhase, plan: PLAN });
  openGate(player, tree);
  return player;
}

function sayContinue(player: Player): void {
  const wait = openWait(player);
  accepted(player, { do: "continue", by: ada, wait: wait.id, shown: wait.kind === "gate" ? wait.digest : "" });
}

/** Reports this tree after Continue. A different tree than displayed reopens the gate. */
function recheck(player: Player, tree: string): void {
  const isEdited = activeRun(player).phases[activeRun(player).index]?.made?.tree !== tree;
  const edited = isEdited ? [{ path: "src/a.ts", change: "modified" as const }] : [];
  const results = isEdited ? [result("shown as it is", false)] : [];
  report(player, { of: "recheck", edited, tree, results, digest: `again ${tree}` });
}

const enter = (player: Player, tree: string): unknown => {
  advance(player, "enter");
  return report(player, { of: "enter", commit: "c0ffee", tree });
};
const edits = (player: Player): string[] => activeRun(player).userEdits.map(({ from, to }) => `${from}..${to}`);

test("joins an edit found by Continue with a later edit before the redo", () => {
  const player = atGate();
  sayContinue(player);
  recheck(player, "edited");
  expect(edits(player)).toEqual(["made..edited"]);
  accepted(player, redo(player, "again"));
  enter(player, "edited twice");
  expect(edits(player)).toEqual(["made..edited twice"]);
});

test("forgets an edit that the user reverted before an agent ran", () => {
  const player = atGate();
  sayContinue(player);
  recheck(player, "edited");
  accepted(player, redo(player, "again"));
  enter(player, "made");
  expect(edits(player)).toEqual([]);
});

test("ignores changes by agents", () => {
  const player = atGate();
  accepted(player, redo(player, "again"));
  enter(player, "made");
  openGate(player, "made again");
  expect(edits(player)).toEqual([]);
});

test("keeps edits over a return with kept files until their phase is accepted again", () => {
  const player = atGate();
  sayContinue(player);
  recheck(player, "made");
  enter(player, "made");
  openGate(player, "second");
  sayContinue(player);
  recheck(player, "edited");
  accepted(player, { do: "back", by: ada, to: "01-requirements", tree: "keep" });
  enter(player, "edited");
  openGate(player, "first again");
  sayContinue(player);
  recheck(player, "first again");
  expect(edits(player), "accepting an earlier phase accepts no later one").toEqual(["second..edited"]);
  openGate(player, "second again");
  sayContinue(player);
  recheck(player, "second again");
  expect(edits(player)).toEqual([]);
});

test.each(["restored", "skipped"])("forgets edits that are %s", (how) => {
  const player = atGate();
  sayContinue(player);
  recheck(player, "edited");
  if (how === "skipped") accepted(player, { do: "skip", by: ada, wait: null });
  else accepted(player, { do: "back", by: ada, to: "01-requirements", tree: "restore" });
  expect(edits(player)).toEqual([]);
});

test("keeps edits during questions and after a failure", () => {
  const player = startRun({ supervision: everyPhase, plan: PLAN });
  const claim = (name: string) => ({ execution: name, nonce: "n", driver: { pid: 1, started: "1", boot: "b" } });
  const facts = { execution: "x1", usage: null, session: null };
  advance(player, "produce");
  report(player, { of: "claim", claim: claim("x1") });
  const asks = {
    status: "needs_input",
    summary: "",
    decisions: [],
    artifacts: [],
    questions: [{ id: "q", text: "?" }],
  };
  report(player, { of: "produce", result: asks as never, ...facts, tree: "asked" });
  accepted(player, { do: "reply", by: ada, wait: openWait(player).id, replies: [{ id: "q", text: "yes" }] });
  report(player, { of: "claim", claim: claim("x2"), tree: "edited" });
  expect(edits(player)).toEqual(["asked..edited"]);
  const fails = { status: "failed", summary: "no", decisions: [], artifacts: [], questions: [] };
  report(player, { of: "produce", result: fails as never, ...facts, execution: "x2", tree: "failed" });
  accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
  enter(player, "edited again");
  expect(edits(player)).toEqual(["asked..edited", "failed..edited again"]);
});

const claim = (name: string) => ({ execution: name, nonce: "n", driver: { pid: 1, started: "1", boot: "b" } });
const facts = { execution: "x1", usage: null, session: null };

test("keeps edits after an execution that was interrupted or stopped for the budget", () => {
  const player = startRun({ supervision: everyPhase, plan: PLAN });
  advance(player, "produce");
  report(player, { of: "claim", claim: claim("x1") });
  report(player, { of: "lost", ...facts, tree: "stopped" });
  report(player, { of: "claim", claim: claim("x2"), tree: "edited" });
  expect(edits(player)).toEqual(["stopped..edited"]);
});

test("keeps edits between a draft and its gate", () => {
  const player = startRun({ supervision: everyPhase, plan: PLAN });
  advance(player, "produce");
  report(player, { of: "claim", claim: claim("x1") });
  const drafted = { status: "done", summary: "", decisions: [], artifacts: [], questions: [] };
  report(player, { of: "produce", result: drafted as never, ...facts, tree: "drafted" });
  openGate(player, "edited");
  expect(edits(player)).toEqual(["drafted..edited"]);
});

test("assigns edits after an acceptance to the next phase", () => {
  const player = atGate();
  sayContinue(player);
  recheck(player, "made");
  enter(player, "edited");
  expect(edits(player)).toEqual(["made..edited"]);
  openGate(player, "second");
  sayContinue(player);
  recheck(player, "second");
  expect(edits(player)).toEqual([]);
});
