import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkBySchema } from "../../src/adapters/journal/schema-check.ts";
import { FORMAT } from "../../src/adapters/journal/record.ts";
import { replay } from "../../src/core/evolve/evolve.ts";
import type { RunEvent } from "../../src/schema/event.ts";

type Golden = {
  readonly version: string;
  readonly format: number;
  readonly events: RunEvent[];
  readonly state: unknown;
};

const goldens = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...(JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8")) as Golden) }));

test("includes a journal of every released version", () => {
  expect(goldens.map(({ version }) => version)).toContain("0.1.0");
});

describe.for(goldens)("journal $name of an earlier version", ({ events, format, state }) => {
  test("replays to the same state", () => {
    expect(JSON.parse(JSON.stringify(replay(events)))).toEqual(state);
  });

  test("matches the schema", () => {
    for (const { seq, at: _at, ...draft } of events)
      expect(checkBySchema(draft, format), `event ${seq}`).toMatchObject({ is: "event" });
    expect(format).toBeLessThanOrEqual(FORMAT);
  });
});
