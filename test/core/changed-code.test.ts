import { describe, expect, test } from "vitest";
import { codeChanges, noCodeChanged } from "../../src/core/changes/changed-code.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  checked,
  completed,
  absent,
  openWait,
  phaseRule,
  report,
  startRun,
} from "../support/run-builder.ts";

describe("phase without code changes", () => {
  const idle = checked(noCodeChanged([]));

  test("returns to its agent once with the reason, then escalates", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "check");
    expect(report(player, idle)).toEqual(["checks.failed"]);
    expect(activeRun(player).stage).toMatchObject({ is: "producing", brief: { why: "checks" } });
    advance(player, "check");
    expect(report(player, idle)).toEqual(["checks.failed", "step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "no_change", offered: ["retry", "skip"] });
  });

  test("returns to its agent again after a retry by the user", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "check");
    report(player, idle);
    advance(player, "check");
    report(player, idle);
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    advance(player, "check");
    expect(report(player, idle)).toEqual(["checks.failed"]);
  });

  test.each([
    ["a document of the item", "docs/requirements/x/notes.md", false],
    ["the metadata of the item", "docs/requirements/x/meta.json", false],
    ["the backlog", "BACKLOG.md", false],
    ["a submodule", "vendor/lib", false],
    ["code", "src/a.ts", true],
    ["a document outside the item", "docs/guide.md", true],
  ])("decides if a change counts as code: %s", (_what, path, counts) => {
    const found = codeChanges([{ path, change: "modified" }], {
      item: "docs/requirements/x",
      submodules: ["vendor/lib"],
    });
    expect(found.length === 1).toBe(counts);
  });
});

describe("overlapping user edits", () => {
  const mixed = { ...completed(absent), mixed: ["README.md"] };

  test("ask before the phase is completed, and only once if accepted", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "complete");
    expect(report(player, mixed)).toEqual(["step.escalated"]);
    const wait = openWait(player);
    expect(wait).toMatchObject({
      from: "complete",
      reason: "own_lines",
      paths: ["README.md"],
      offered: ["retry", "accept"],
    });
    expect(accepted(player, { do: "accept", by: ada, wait: wait.id })).toEqual(["lines.included"]);
    expect(activeRun(player)).toMatchObject({ together: ["README.md"], stage: { is: "completing" } });
    expect(report(player, mixed)[0]).toBe("phase.completed");
  });

  test("are examined again after a retry", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "complete");
    report(player, mixed);
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    expect(activeRun(player).stage.is).toBe("completing");
    expect(report(player, completed(absent))[0]).toBe("phase.completed");
  });
});
