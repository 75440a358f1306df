import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FileSystem, nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createJournalReader, type JournalReader } from "../../src/adapters/journal/create-journal-reader.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { begin, end, lastMark, mark, NEXT_RUN, RUN } from "./sample-commands.ts";
import { hastyFiles, SEAL, newTree, openTreeJournal, stillClock } from "./sample-run.ts";
import { scratchFolder, treeIn, treeWithRun, type Tree } from "./sample-run.ts";

const readerOf = ({ journal, user, root }: Tree, files: FileSystem = nodeFiles): JournalReader =>
  createJournalReader({
    directory: journal,
    anchors: createFileAnchors(user, root, files),
    seal: SEAL,
    clock: stillClock,
    version: "1",
    files,
  });

const ended = async (): Promise<Tree> => {
  const tree = await treeWithRun(1);
  await openTreeJournal(tree, { files: hastyFiles }).submit(RUN, end);
  return tree;
};

/** The ended run is in its folder, and a start was killed before its first record. */
const putAway = async (): Promise<Tree> => {
  const tree = await ended();
  const journal = openTreeJournal(tree, { files: hastyFiles });
  await journal.create(NEXT_RUN, begin(NEXT_RUN));
  await journal.submit(NEXT_RUN, end);
  const third = "20261117-101500123-k3f9";
  await journal.create(third, begin(third));
  await journal.submit(third, end);
  writeFileSync(join(tree.journal, "20261118-101500123-k3f9.jsonl"), "");
  return tree;
};

describe("newest run, read in one pass", () => {
  test.each([
    ["in a tree without runs", () => Promise.resolve(newTree()), null],
    ["while it is open", () => treeWithRun(2), "m2"],
    ["after its end", ended, "ended m1"],
    ["next to an interrupted start", putAway, "ended begun"],
  ])("equals the result of finding and loading it %s", async (_, make, mark) => {
    const tree = await make();
    const run = openTreeJournal(tree).newest();
    const current = readerOf(tree).current();
    expect(current).toEqual(run === null ? null : { run, ...openTreeJournal(tree).load(run) });
    expect(current === null ? null : lastMark(current.state)).toBe(mark);
  });

  test("causes a problem if it is damaged", async () => {
    const tree = await treeWithRun(2);
    appendFileSync(join(tree.journal, `${RUN}.jsonl`), "{}\n{}\n");
    const corrupt = expect.objectContaining({ problem: expect.objectContaining({ code: "JOURNAL_CORRUPT" }) });
    expect(readerOf(tree).newest()).toBe(RUN);
    expect(() => readerOf(tree).current()).toThrow(corrupt);
  });

  test("opens its journal once", async () => {
    const tree = await treeWithRun(2);
    const read: number[] = [];
    const opened = new Set<number>();
    const files: FileSystem = {
      ...nodeFiles,
      openSync: (path, ...rest) => {
        const fd = nodeFiles.openSync(path, ...rest);
        if (String(path).endsWith(`${RUN}.jsonl`)) opened.add(fd);
        else opened.delete(fd);
        return fd;
      },
      readSync: ((fd: number, ...rest: never[]) => {
        if (opened.has(fd)) read.push(fd);
        return (nodeFiles.readSync as (fd: number, ...rest: never[]) => number)(fd, ...rest);
      }) as FileSystem["readSync"], // Passes the overloads on.
    };
    expect(readerOf(tree, files).current()?.run).toBe(RUN);
    expect(read).toHaveLength(1);
  });

  test("is found among other file names", () => {
    const tree = newTree();
    const folder = join(tree.journal, "ended");
    mkdirSync(folder, { recursive: true });
    const foreign = ["zz.jsonl", "99999999.jsonl.gz", ".jsonl", `${NEXT_RUN}.snap`, `${NEXT_RUN}.jsonl.gz.tmp`, "zz"];
    for (const name of [...foreign, `${RUN}.jsonl`]) writeFileSync(join(folder, name), "");
    expect(readerOf(tree).newest()).toBe(RUN);
    writeFileSync(join(folder, `${NEXT_RUN}.jsonl.gz`), "");
    expect(readerOf(tree).newest()).toBe(NEXT_RUN);
  });
});

describe("part of a long journal", () => {
  const LONG = 4000; // Records: many times the size of one read.
  let tree: Tree;
  beforeAll(async () => {
    tree = treeIn(mkdtempSync(join(scratchFolder, "isdlc-journal-")));
    const journal = openTreeJournal(tree, { files: hastyFiles });
    await journal.create(RUN, begin(RUN));
    for (let number = 1; number < LONG; number++)
      await journal.submit(RUN, mark(`m${number} ${"x".repeat(number % 700)}`));
  });
  afterAll(() => rmSync(tree.root, { recursive: true, force: true }));

  test("equals the same part of the whole for any start and length", () => {
    const whole = readerOf(tree).events(RUN);
    expect(whole).toHaveLength(LONG);
    const begins = [1, 2, 3, 499, 500, 501, 1234, 2000, 3333, LONG - 1, LONG, LONG + 1, LONG + 500];
    for (const from of begins)
      for (const most of [1, 2, 500])
        expect(readerOf(tree).part(RUN, { from, most })).toEqual(whole.slice(from - 1, from - 1 + most));
  });

  test("is read without the records before it", () => {
    let read = 0;
    const counting: FileSystem = {
      ...nodeFiles,
      readSync: ((...asked: Parameters<FileSystem["readSync"]>) => {
        const bytes = nodeFiles.readSync(...asked);
        read += bytes;
        return bytes;
      }) as FileSystem["readSync"], // In any of its overloads.
    };
    const reader = readerOf(tree, counting);
    reader.load(RUN);
    read = 0;
    expect(reader.part(RUN, { from: LONG / 2, most: 10 })).toHaveLength(10);
    const size = statSync(join(tree.journal, `${RUN}.jsonl`)).size;
    expect(size).toBeGreaterThan(2_000_000);
    expect(read).toBeLessThan(size / 2);
  });

  test("causes a problem with the line if it is damaged", () => {
    const file = join(tree.journal, `${RUN}.jsonl`);
    const bytes = readFileSync(file);
    const lines = bytes.toString("utf8").split("\n");
    lines[1999] = lines[1999]?.replace("m1999", "m9991") ?? "";
    writeFileSync(file, lines.join("\n"));
    const damaged = expect.objectContaining({
      problem: expect.objectContaining({ code: "JOURNAL_CORRUPT", line: 2000 }),
    });
    try {
      expect(() => readerOf(tree).part(RUN, { from: 1990, most: 20 })).toThrow(damaged);
    } finally {
      writeFileSync(file, bytes);
    }
  });
});
