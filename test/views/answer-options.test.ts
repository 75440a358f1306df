import { expect, test } from "vitest";
import type { WaitOption } from "../../src/core/run.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { Sizing } from "../../src/schema/facts.ts";
import { gateBanner } from "../../src/views/gate-banner.ts";
import { menuLabel } from "../../src/views/answer-options.ts";
import { active, gate, produced, rule, started } from "./runs.ts";

test("announces at the last gate that the end of the run is chosen next", () => {
  const plan = [rule("03-architecture")];
  const last = gateBanner(active(started({ plan }), produced("03-architecture", 1), gate()));
  expect(last).toContain("[C] Continue -- accept, then choose how the run ends\n");
  const earlier = gateBanner(active(started(), produced("03-architecture", 1), gate()));
  expect(earlier).toContain("[C] Continue -- advance to next phase\n");
});

const plan = [
  rule("02-impact-analysis", { after: ["sizing"] }),
  rule("03-architecture", { whenLight: "drop" }),
  rule("04-design", { whenLight: "drop", name: "Design" }),
  rule("06-implementation"),
];

test.each<[string, readonly string[] | null, Sizing["recommended"], WaitOption, string]>([
  ["one gate", ["03", "06"], "standard", "light", " (removes the review gate after Architecture)"],
  ["two gates", ["03", "04"], "light", "accept", " (removes the review gate after Architecture and Design)"],
  ["no gate for a dropped phase without one", ["06"], "light", "light", ""],
  ["no gates in an unsupervised run", null, "light", "light", ""],
  ["the standard size", ["03", "04"], "light", "standard", ""],
])("adds a warning if the light size removes gates: %s", (...[, phases, recommended, option, warning]) => {
  const supervision =
    phases === null ? { enabled: false, phases: "all" as const } : { enabled: true, phases: [...phases] };
  const sizing: Sizing = { recommended, rationale: "", metrics: null, source: null };
  const opened: EventDraft[] = [
    { type: "phase.accepted", by: "engine" },
    { type: "phase.committed", commit: "c2" },
    { type: "after.started", step: "sizing" },
    { type: "sizing.asked", sizing },
  ];
  const run = active(started({ plan, supervision }), produced("02-impact-analysis", 1), opened);
  if (run.wait === null) throw new Error("nothing is asked");
  const label = menuLabel(option, run.wait, run);
  expect(label.slice(label.indexOf(" (") === -1 ? label.length : label.indexOf(" ("))).toBe(warning);
});
