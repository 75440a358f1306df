import { describe, expect, test } from "vitest";
import type { ActiveRun } from "../../src/core/run.ts";
import { type ShownSince, shownChanges } from "../../src/engine/shown-changes.ts";
import type { FileChange } from "../../src/schema/facts.ts";
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
  startRun,
} from "../support/run-builder.ts";

const PHASES = ["01-requirements", "03-architecture"].map((key) => phaseRule({ key, name: key }));

/** Runs to the gate of the current phase, which shows `tree`. */
function openGate(player: Player, tree: string): Player {
  advance(player, "complete");
  const outcome = completed(keeps);
  report(player, { ...outcome, made: { ...outcome.made, tree }, digest: `shown ${tree}` });
  return player;
}

function acceptGate(player: Player): Player {
  const wait = openWait(player);
  accepted(player, { do: "continue", by: ada, wait: wait.id, shown: wait.kind === "gate" ? wait.digest : "" });
  return player;
}

const startSupervised = (): Player => startRun({ supervision: everyPhase, plan: PHASES });

type Git = { readonly fork?: string | null; readonly differing?: readonly FileChange[] };

/** Title and range of each patch displayed at the gate. */
async function patchesShown(run: ActiveRun, since: ShownSince, { fork = null, differing = [] }: Git = {}) {
  const workspace = {
    patch: (from: string | null, to: string | null, paths?: readonly string[]) =>
      Promise.resolve(`${from}..${to}${paths === undefined ? "" : ` ${paths.join(" ")}`}`),
    background: () => Promise.resolve({ commits: [], tests: new Map<string, string[]>() }),
    texts: () => Promise.resolve(new Map<string, string>()),
    diff: (from: string | null) => Promise.resolve(from === "tree-0" ? differing : []),
  };
  const shown = await shownChanges({ workspace, vcs: { forkPoint: () => Promise.resolve(fork) } }, run, since);
  const parts = shown?.parts.filter(({ patch }) => patch !== "").map(({ title, patch }) => [title, patch]);
  return shown === null ? null : { base: shown.base, parts };
}

describe("changes displayed at a gate", () => {
  test("start at the beginning of the run at the first gate", async () => {
    const run = activeRun(openGate(startSupervised(), "tree-1"));
    expect(await patchesShown(run, "accepted")).toEqual({
      base: "since the run started",
      parts: [[null, "tree-0..tree-1"]],
    });
  });

  test("start at the accepted tree at a later gate, not at the last attempt", async () => {
    const player = acceptGate(openGate(startRun({ supervision: everyPhase }), "tree-1"));
    openGate(player, "tree-2");
    accepted(player, redo(player, "again"));
    openGate(player, "tree-3");
    expect(await patchesShown(activeRun(player), "accepted")).toMatchObject({ parts: [[null, "tree-1..tree-3"]] });
  });

  test("start at this gate's last attempt after a redo", async () => {
    const player = acceptGate(openGate(startRun({ supervision: everyPhase }), "tree-1"));
    openGate(player, "tree-2");
    accepted(player, redo(player, "again"));
    openGate(player, "tree-3");
    expect(await patchesShown(activeRun(player), "look")).toMatchObject({ parts: [[null, "tree-2..tree-3"]] });
  });

  test("start at the accepted tree if this phase was not reviewed before", async () => {
    const player = acceptGate(openGate(startRun({ supervision: everyPhase }), "tree-1"));
    expect(await patchesShown(activeRun(openGate(player, "tree-2")), "look")).toMatchObject({
      parts: [[null, "tree-1..tree-2"]],
    });
  });

  test("cover the whole run at the last gate, even without a base", async () => {
    const player = openGate(acceptGate(openGate(startSupervised(), "tree-1")), "tree-2");
    expect(await patchesShown(activeRun(player), "accepted")).toMatchObject({ parts: [[null, "tree-0..tree-2"]] });
  });

  test("cover the merge against the base at the last gate, then uncommitted files", async () => {
    const player = acceptGate(openGate(startSupervised(), "tree-1"));
    advance(player, "complete");
    const outcome = completed(keeps);
    const made = { ...outcome.made, tree: "tree-2", commitTree: "tree-c" };
    report(player, { ...outcome, made });
    const differing: FileChange[] = [{ path: "notes.txt", change: "added" }];
    expect(await patchesShown(activeRun(player), "accepted", { fork: "f00f00f00", differing })).toEqual({
      base: "against main (f00f00f)",
      parts: [
        [null, "f00f00f00..tree-c"],
        ["Not committed", "tree-0..tree-2 notes.txt"],
      ],
    });
  });

  test("are null while no phase has an output", async () => {
    expect(await patchesShown(activeRun(advance(startSupervised(), "produce")), "accepted")).toBeNull();
  });
});
