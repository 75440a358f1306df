import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createFileJournal } from "../../../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../../../src/adapters/files/anchors.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { loadUserKey, sealWith } from "../../../src/adapters/files/user-key.ts";
import { begin, mark, marksIn, RUN } from "../../journal-file/sample-commands.ts";
import { namesBelow, stillClock, treeIn } from "../../journal-file/sample-run.ts";
import { bundleProgram, startProgram, type ProgramResult } from "../../support/bundle-program.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const SECONDS = 10;
const WRITERS = 4;
/** Minimum number of acknowledged records for a meaningful result. A busy machine runs longer. */
const LEAST_ACKNOWLEDGED = 200;

test(`keeps acknowledged records once, with ${WRITERS} writers killed for ${SECONDS} seconds`, async () => {
  const base = mkdtempSync(join(tmpdir(), "isdlc-storm-"));
  onTestFinished(() => removeTemporary(base));
  const tree = treeIn(base);
  const program = await bundleProgram(join(import.meta.dirname, "../../journal-file/programs/append-marks.ts"));
  const open = () =>
    createFileJournal({
      directory: tree.journal,
      anchors: createFileAnchors(tree.user, tree.root),
      seal: sealWith(loadUserKey(tree.user)),
      decide,
      clock: stillClock,
      version: "1",
    });
  const first = open();
  await first.create(RUN, begin(RUN));
  first.close();

  const until = performance.now() + SECONDS * 1000;
  let heard = 0;
  const storm = async (writer: number): Promise<readonly ProgramResult[]> => {
    const finished: ProgramResult[] = [];
    for (let life = 0; performance.now() < until || heard <= LEAST_ACKNOWLEDGED; life++) {
      const started = startProgram(program, [tree.root, tree.user, RUN, `w${writer}.${life}`, "1000000"]);
      await started.line();
      await delay(Math.random() * 40);
      started.child.kill("SIGKILL");
      const ended = await started.finished;
      heard += ended.lines.length;
      finished.push(ended);
    }
    return finished;
  };
  const lives = (await Promise.all(Array.from({ length: WRITERS }, (_, writer) => storm(writer)))).flat();

  const acknowledged = lives.flatMap(({ lines }) => lines);
  const journal = open();
  const present = marksIn(journal.events(RUN));
  const there = new Set(present);
  expect(there.size, "none twice").toBe(present.length);
  expect(
    acknowledged.filter((name) => !there.has(name)),
    "none lost",
  ).toEqual([]);
  expect(present.length - acknowledged.length, "at most one unacknowledged for each kill").toBeLessThanOrEqual(
    lives.length,
  );
  expect(lives.every(({ signal }) => signal === "SIGKILL")).toBe(true);
  expect(lives.length).toBeGreaterThan(20);
  expect(acknowledged.length).toBeGreaterThan(LEAST_ACKNOWLEDGED);
  expect((await journal.submit(RUN, mark("after"))).ok).toBe(true);
  journal.close();
  expect(namesBelow(tree.root).filter((name) => /tmp|lock/.test(name))).toEqual([]);
  process.stdout.write(`${lives.length} kills, ${acknowledged.length} acknowledged, ${present.length} present\n`);
});
