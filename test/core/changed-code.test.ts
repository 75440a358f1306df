import { describe, expect, test } from "vitest";
import { codeChanges, noCodeChanged } from "../../src/core/changed-code.ts";
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

describe("a phase that changed no code", () => {
  const idle = checked(noCodeChanged([]));

  test("goes back to its agent once, told so, and then to a person", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "check");
    expect(report(player, idle)).toEqual(["checks.failed"]);
    expect(activeRun(player).stage).toMatchObject({ is: "producing", brief: { why: "checks" } });
    advance(player, "check");
    expect(report(player, idle)).toEqual(["checks.failed", "step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "no_change", offered: ["retry", "skip"] });
  });

  test("has as many chances again after a retry by a person", () => {
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
    ["the record of the item", "docs/requirements/x/meta.json", false],
    ["the backlog", "BACKLOG.md", false],
    ["a submodule", "vendor/lib", false],
    ["code", "src/a.ts", true],
    ["another document", "docs/guide.md", true],
  ])("%s counts or not", (_what, path, counts) => {
    const found = codeChanges([{ path, change: "modified" }], {
      item: "docs/requirements/x",
      submodules: ["vendor/lib"],
    });
    expect(found.length === 1).toBe(counts);
  });
});

describe("lines of the person that cannot be told apart", () => {
  const mixed = { ...completed(absent), mixed: ["README.md"] };

  test("are asked about before the phase is completed; accepted once, they are not asked about again", () => {
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

  test("a second look is another question", () => {
    const player = advance(startRun({ plan: [phaseRule()] }), "complete");
    report(player, mixed);
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    expect(activeRun(player).stage.is).toBe("completing");
    expect(report(player, completed(absent))[0]).toBe("phase.completed");
  });
});
