import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Outcome, Rogue } from "./rogue.ts";
import { callers } from "./rows/callers.ts";
import { children } from "./rows/children.ts";
import { files } from "./rows/files.ts";
import { git } from "./rows/git.ts";
import { journal } from "./rows/journal.ts";
import { secrets } from "./rows/secrets.ts";
import { talk } from "./rows/talk.ts";
import { work } from "./rows/work.ts";
import { createStage } from "./stage.ts";
import { renderTable } from "./table.ts";

const rogues: readonly Rogue[] = [...files, ...callers, ...journal, ...work, ...talk, ...children, ...secrets, ...git];

const judged = new Map<Rogue, Outcome>();
const page = join(import.meta.dirname, "../../../docs/guides/rogue-agents.md");

/** Linux tells of processes what these rogues try to hide. */
describe.skipIf(process.platform !== "linux").concurrent("S9 S10 S11 rogues", () => {
  for (const rogue of rogues) {
    // A hidden process may be caught by chance before it has hidden; then there is nothing to judge yet.
    test(`${rogue.number}. ${rogue.does}`, { retry: rogue.hostile === true ? 1 : 0 }, async () => {
      const stage = await createStage();
      try {
        const outcome = await rogue.play(stage);
        judged.set(rogue, outcome);
        expect(outcome, JSON.stringify(stage.evidence(), null, 1).slice(0, 4000)).toBe(rogue.plain);
      } finally {
        stage.close();
      }
    });
  }

  afterAll(() => {
    if (judged.size < rogues.length) return;
    console.log(renderTable(rogues.map((rogue) => ({ ...rogue, outcome: judged.get(rogue) ?? "HOLE" }))));
  });
});

test("the printed table is up to date", () => {
  const table = renderTable(rogues.map((rogue) => ({ ...rogue, outcome: rogue.plain })));
  if (process.env["ROGUE_TABLE"] === "write") writeFileSync(page, table);
  expect(existsSync(page) ? readFileSync(page, "utf8") : "").toBe(table);
});

test("every rogue of the list has a row, and a hole is only where a hostile process is", () => {
  expect(new Set(rogues.map(({ number }) => number))).toEqual(new Set(Array.from({ length: 19 }, (_, at) => at + 1)));
  expect(new Set(rogues.map(({ does }) => does)).size).toBe(rogues.length);
  const holes = rogues.filter(({ plain, hostile }) => plain === "HOLE" && hostile !== true);
  expect(holes.map(({ does }) => does)).toEqual([]);
});
