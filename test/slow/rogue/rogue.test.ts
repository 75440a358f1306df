import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sandboxAvailable } from "../../../src/adapters/sandbox/sandbox-available.ts";
import { type Column, COLUMNS, expected, type Outcome, playRogue, type Rogue } from "./rogue.ts";
import { callers } from "./rows/callers.ts";
import { children } from "./rows/children.ts";
import { evidence } from "./rows/evidence.ts";
import { files } from "./rows/files.ts";
import { git } from "./rows/git.ts";
import { journal } from "./rows/journal.ts";
import { kernel } from "./rows/kernel.ts";
import { scanEvasion } from "./rows/scan-evasion.ts";
import { network } from "./rows/network.ts";
import { plantedObjects } from "./rows/planted-objects.ts";
import { secrets } from "./rows/secrets.ts";
import { hiddenChanges } from "./rows/hidden-changes.ts";
import { talk } from "./rows/talk.ts";
import { traces } from "./rows/traces.ts";
import { work } from "./rows/work.ts";
import { createStage } from "./stage.ts";
import { promised, renderTable } from "./table.ts";

const rogues: readonly Rogue[] = [
  ...files,
  ...callers,
  ...journal,
  ...work,
  ...talk,
  ...children,
  ...secrets,
  ...git,
  ...hiddenChanges,
  ...scanEvasion,
  ...evidence,
  ...kernel,
  ...network,
  ...plantedObjects,
  ...traces,
];

const page = join(import.meta.dirname, "../../../docs/guides/rogue-agents.md");
const judged = new Map<Rogue, Partial<Record<Column, Outcome>>>();

/** Retries if isdlc ends a process before it has hidden, because the attack was not tested. */
const MAX_PLAYS = 3;

async function judge(rogue: Rogue, column: Column): Promise<void> {
  for (let tries = 1; ; tries++) {
    const stage = await createStage(column);
    try {
      const { outcome, caught } = await playRogue(rogue, stage);
      const isByChance = caught && column !== "strict" && rogue.hostile === true;
      if (isByChance && expected(rogue, column) !== "HOLE" && tries < MAX_PLAYS) continue;
      if (!isByChance) judged.set(rogue, { ...judged.get(rogue), [column]: outcome });
      if (isByChance) console.warn(`caught by chance, and so not judged: ${rogue.number}. ${rogue.does}`);
      else expect(outcome, JSON.stringify(stage.evidence(), null, 1).slice(0, 4000)).toBe(expected(rogue, column));
      return;
    } finally {
      await stage.close();
    }
  }
}

const available = sandboxAvailable(process.env);
const missing = available.ok || process.env["CI"] === "true" ? null : `${available.why}; ${available.fix}`;

const needsRoot = ({ asRoot }: Rogue, column: Column): boolean =>
  asRoot === true && column !== "strict" && process.getuid?.() !== 0;

/** These rogues hide from process information of Linux. */
describe.skipIf(process.platform !== "linux").concurrent("rogue agents [S9, S10, S11]", () => {
  for (const column of COLUMNS) {
    const isSkipped = column === "strict" && missing !== null;
    describe.skipIf(isSkipped)(isSkipped ? `${column} (skipped: ${missing})` : column, () => {
      for (const rogue of rogues.filter((one) => expected(one, column) !== null))
        test.skipIf(needsRoot(rogue, column))(`${rogue.number}. ${rogue.does}`, () => judge(rogue, column));
    });
  }

  afterAll(() => {
    if (judged.size < rogues.length) return;
    const rows = promised(rogues).map(({ rogue, outcomes }) => ({
      rogue,
      outcomes: { ...outcomes, ...judged.get(rogue) },
    }));
    const table = renderTable(rows);
    console.log(table);
    expect(readFileSync(page, "utf8"), "the page says what the run found").toBe(table);
  });
});

test("matches the printed table of the guide", () => {
  const table = renderTable(promised(rogues));
  if (process.env["ROGUE_TABLE"] === "write") writeFileSync(page, table);
  expect(existsSync(page) ? readFileSync(page, "utf8") : "").toBe(table);
});

test("covers every rogue, with holes only for hostile processes outside a sandbox", () => {
  expect(new Set(rogues.map(({ number }) => number))).toEqual(new Set(Array.from({ length: 22 }, (_, at) => at + 1)));
  expect(new Set(rogues.map(({ does }) => does)).size).toBe(rogues.length);
  const holes = (column: Column) => rogues.filter((rogue) => expected(rogue, column) === "HOLE");
  for (const column of COLUMNS) expect(holes(column).filter(({ hostile }) => hostile !== true)).toEqual([]);
  expect(holes("strict").map(({ does }) => does)).toEqual([
    "talks to a program of the user through an abstract unix socket, as a product that needs a shared network",
  ]);
  expect(rogues.filter((rogue) => expected(rogue, "guest") !== null).length).toBeGreaterThan(60);
});
