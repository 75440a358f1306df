import { join } from "node:path";
import { tmpdir } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { createFileJournal } from "../../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { loadUserKey, sealWith } from "../../src/adapters/files/user-key.ts";
import { bundleProgram, startProgram } from "../support/bundle-program.ts";
import { begin, marksIn, RUN } from "./sample-commands.ts";
import { namesBelow, newTree, stillClock, type Tree } from "./sample-run.ts";

let program = "";
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "programs", "append-marks.ts"));
});

const open = (tree: Tree) =>
  createFileJournal({
    directory: tree.journal,
    anchors: createFileAnchors(tree.user, tree.root),
    seal: sealWith(loadUserKey(tree.user)),
    decide,
    clock: stillClock,
    version: "1",
  });

function marksOf(tree: Tree): readonly string[] {
  return marksIn(open(tree).events(RUN));
}

test("loses no append of eight processes, and readers see no torn record", async () => {
  const tree = newTree(tmpdir());
  const journal = open(tree);
  await journal.create(RUN, begin(RUN));
  const writers = Array.from({ length: 8 }, (_, number) =>
    startProgram(program, [tree.root, tree.user, RUN, `w${number}`, "50"]),
  );
  const writing = { running: true };
  const finished = Promise.all(writers.map((writer) => writer.finished)).finally(() => (writing.running = false));
  let reads = 0;
  let last = 0;
  while (writing.running) {
    const incremental = journal.load(RUN).head.seq;
    const fresh = open(tree).load(RUN).head.seq;
    expect(incremental).toBeGreaterThanOrEqual(last);
    expect(fresh).toBeGreaterThanOrEqual(incremental);
    last = incremental;
    reads++;
    await turn();
  }
  expect((await finished).map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
  const marks = marksOf(tree);
  const expected = Array.from({ length: 8 }, (_, w) => Array.from({ length: 50 }, (_, n) => `w${w}-${n + 1}`)).flat();
  expect([...marks].sort()).toEqual(expected.sort());
  expect(open(tree).load(RUN).head.seq).toBe(401);
  expect(reads).toBeGreaterThan(20);
  journal.close();
  expect(namesBelow(tree.root).filter((name) => name.includes("lock"))).toEqual([]);
});

test("notifies a waiting process of an append by another", async () => {
  const tree = newTree(tmpdir());
  const journal = open(tree);
  await journal.create(RUN, begin(RUN));
  const waiting = journal.changed(RUN, new AbortController().signal);
  const writer = startProgram(program, [tree.root, tree.user, RUN, "w", "1"]);
  await waiting;
  await writer.finished;
  journal.load(RUN);
  expect(marksOf(tree)).toEqual(["w-1"]);
});

test("leaves no watcher after waiting", async () => {
  const tree = newTree(tmpdir());
  const journal = open(tree);
  await journal.create(RUN, begin(RUN));
  const watchers = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith("FSEvent")).length;
  const before = watchers();
  const stop = new AbortController();
  const waiting = [1, 2, 3].map(() => journal.changed(RUN, stop.signal));
  expect(watchers()).toBe(before + 3);
  stop.abort();
  await Promise.all(waiting);
  await expect.poll(watchers).toBeLessThanOrEqual(before); // A watcher of an earlier test may have ended in the meantime.
});
