import { cpSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { accept } from "../../src/core/command.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { type FileSystem, nodeFiles } from "../../src/adapters/files/file-system.ts";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";
import { setAside } from "../../src/adapters/journal/set-aside.ts";
import { verifyJournal } from "../../src/adapters/journal/verify-journal.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { begin, end, mark } from "../journal-file/sample-commands.ts";
import {
  createFakeProcesses,
  hastyFiles,
  SEAL,
  namesBelow,
  newTree,
  openTreeJournal,
  type Tree,
} from "../journal-file/sample-run.ts";
import { createFaultFiles, type Fault, type PowerCut } from "../support/fault-files.ts";

const PLAIN = 20;
const runAt = (number: number): string => `20261115-${String(number).padStart(9, "0")}-k3f9`;
const endedFile = (tree: Tree, number: number, ending = ".jsonl"): string =>
  join(tree.journal, "ended", `${runAt(number)}${ending}`);

/** Runs 0 to `count - 1`, all ended; the last one is still in the folder of open runs. */
async function treeWithEnded(count: number): Promise<Tree> {
  const tree = newTree();
  const journal = openTreeJournal(tree, { files: hastyFiles });
  for (let number = 0; number < count; number++) await oneRun(journal, number);
  journal.close();
  return tree;
}

async function oneRun(journal: ReturnType<typeof openTreeJournal>, number: number): Promise<void> {
  await journal.create(runAt(number), begin(runAt(number)));
  await journal.submit(runAt(number), mark(`m${number}`));
  await journal.submit(runAt(number), end);
}

const placeOf = (tree: Tree, files: FileSystem = hastyFiles) => ({
  directory: tree.journal,
  files,
  seal: SEAL,
  anchors: createFileAnchors(tree.user, tree.root, files),
});

/** Waits until a folder change gets a new time; file systems count in steps of some milliseconds. */
function nextTick(folder: string): void {
  while (Date.now() < statSync(folder).mtimeMs + 20);
}

const packedIn = (tree: Tree): readonly string[] =>
  namesBelow(join(tree.journal, "ended")).filter((name) => name.endsWith(".gz"));

/** Facts about an ended run, read by a new process. */
function told(tree: Tree, number: number) {
  const journal = openTreeJournal(tree);
  const { state, head } = journal.load(runAt(number));
  return { state: state.is, head, events: journal.events(runAt(number)).length };
}

const damaged = expect.objectContaining({ problem: expect.objectContaining({ code: "JOURNAL_CORRUPT" }) });

describe("ended journals", () => {
  test("are cleaned of files left by a killed packing", async () => {
    const tree = await treeWithEnded(2);
    const left = [endedFile(tree, 0, ".jsonl.gz.0123.tmp"), join(tree.journal, `${runAt(1)}.snap.0123.tmp`)];
    for (const file of left) writeFileSync(file, "half");
    await oneRun(openTreeJournal(tree, { files: hastyFiles }), 2);
    expect(left.filter((file) => existsSync(file))).toEqual([]);
    expect(told(tree, 0)).toMatchObject({ state: "ended" });
  });

  test("stay plain for the newest twenty and are packed when older", async () => {
    const tree = await treeWithEnded(PLAIN + 1);
    const before = Array.from({ length: PLAIN + 1 }, (_, number) => told(tree, number));
    const content = readFileSync(endedFile(tree, 0));
    const journal = openTreeJournal(tree, { files: hastyFiles });
    await oneRun(journal, PLAIN + 1);
    expect(packedIn(tree)).toEqual([`${runAt(0)}.jsonl.gz`]);
    expect(existsSync(endedFile(tree, 0))).toBe(false);
    expect(existsSync(endedFile(tree, 0, ".snap"))).toBe(false);
    expect(gunzipSync(readFileSync(endedFile(tree, 0, ".jsonl.gz"))).equals(content)).toBe(true);
    expect(before.map((_, number) => told(tree, number))).toEqual(before);
    expect(journal.load(runAt(0)).state.is).toBe("ended"); // The packing process read it before.
    expect(before[0]).toMatchObject({ state: "ended", events: 3 });
    expect(verifyJournal(placeOf(tree), runAt(0))).toMatchObject({ findings: [], lines: 3, open: false });
    expect(openTreeJournal(tree).newest()).toBe(runAt(PLAIN + 1));
  });

  test("are packed in limited numbers per start, oldest first", async () => {
    const tree = await treeWithEnded(2);
    const sample = readFileSync(endedFile(tree, 0));
    for (let number = 100; number < 100 + PLAIN + 25; number++) writeFileSync(endedFile(tree, number), sample);
    const journal = openTreeJournal(tree, { files: hastyFiles });
    await oneRun(journal, 900);
    expect(packedIn(tree)).toHaveLength(10);
    expect(existsSync(endedFile(tree, 0, ".jsonl.gz"))).toBe(true);
    await oneRun(journal, 901);
    await oneRun(journal, 902);
    expect(packedIn(tree)).toHaveLength(29);
  });

  test("stay plain if they are long, without blocking others", async () => {
    const tree = await treeWithEnded(2);
    const sample = readFileSync(endedFile(tree, 0));
    for (let number = 100; number < 100 + PLAIN + 15; number++) writeFileSync(endedFile(tree, number), sample);
    const long = Array.from({ length: 12 }, (_, index) => endedFile(tree, 100 + index));
    for (const file of long) writeFileSync(file, Buffer.alloc(4 * 1024 * 1024 + 1));
    const journal = openTreeJournal(tree, { files: hastyFiles });
    for (const number of [900, 901]) await oneRun(journal, number);
    expect(long.filter((file) => !existsSync(file))).toEqual([]);
    expect(packedIn(tree)).toEqual([0, 1, 112, 113, 114, 115].map((number) => `${runAt(number)}.jsonl.gz`));
  });

  describe("many ended journals", () => {
    /** Runs 0 to 199, all but the newest twenty packed, and the number of names listed by the next start. */
    async function manyEnded(): Promise<{ tree: Tree; listedAt: (number: number) => Promise<number> }> {
      const tree = await treeWithEnded(PLAIN + 10);
      for (let number = 0; number < 200; number++)
        cpSync(endedFile(tree, 0, ".jsonl.gz"), endedFile(tree, 1_000 + number, ".jsonl.gz"));
      const listedAt = async (number: number): Promise<number> => {
        const listed: string[] = [];
        const readdirSync = (folder: string): string[] => {
          const names = nodeFiles.readdirSync(folder);
          listed.push(...names);
          return names;
        };
        const files = { ...hastyFiles, readdirSync } as FileSystem;
        await oneRun(openTreeJournal(tree, { files }), number);
        return listed.length;
      };
      return { tree, listedAt };
    }

    test("are not listed at a start that packs the next one", async () => {
      const { tree, listedAt } = await manyEnded();
      expect(await listedAt(2_000)).toBeGreaterThan(200);
      const before = packedIn(tree);
      expect(await listedAt(2_001)).toBeLessThan(20);
      expect(await listedAt(2_002)).toBeLessThan(20);
      expect(packedIn(tree)).toHaveLength(before.length + 2);
      expect(told(tree, 2_000)).toMatchObject({ state: "ended" });
    });

    test.each<[string, (tree: Tree) => void]>([
      ["was added", (tree) => cpSync(endedFile(tree, 2_000), endedFile(tree, 3))],
      ["was removed", (tree) => rmSync(endedFile(tree, 2_000))],
      ["was left by a killed packing", (tree) => writeFileSync(endedFile(tree, 0, ".jsonl.gz.0123.tmp"), "half")],
    ])("are listed again if a file %s", async (_what, change) => {
      const { tree, listedAt } = await manyEnded();
      await listedAt(2_000);
      await listedAt(2_001);
      nextTick(join(tree.journal, "ended"));
      change(tree);
      expect(await listedAt(2_002)).toBeGreaterThan(200);
      expect(existsSync(endedFile(tree, 3))).toBe(false);
      expect(existsSync(endedFile(tree, 0, ".jsonl.gz.0123.tmp"))).toBe(false);
      expect(await listedAt(2_003)).toBeLessThan(20);
    });

    test.each(["", "0", "no stamp\nno run"])("are listed again if the note has the content %j", async (note) => {
      const { tree, listedAt } = await manyEnded();
      await listedAt(2_000);
      writeFileSync(join(tree.journal, "ended.snap"), note);
      expect(await listedAt(2_001)).toBeGreaterThan(200);
      expect(await listedAt(2_002)).toBeLessThan(20);
    });
  });

  test("refuse a decision on a packed run without touching its file", async () => {
    const tree = await treeWithEnded(1);
    const journal = openTreeJournal(tree, { files: hastyFiles });
    const lenient = openTreeJournal(tree, { files: hastyFiles, decide: () => accept({ type: "run.prepared" }) });
    await oneRun(journal, 1);
    packByHand(tree, 0);
    const before = readFileSync(endedFile(tree, 0, ".jsonl.gz"));
    expect((await journal.submit(runAt(0), mark("late"))).ok).toBe(false);
    await expect(lenient.submit(runAt(0), mark("late"))).rejects.toThrow(ProblemError);
    expect((await journal.create(runAt(0), begin(runAt(0)))).ok).toBe(false);
    expect(readFileSync(endedFile(tree, 0, ".jsonl.gz")).equals(before)).toBe(true);
  });
});

function packByHand(tree: Tree, number: number, change: (bytes: Buffer) => Buffer = (bytes) => bytes): void {
  const plain = endedFile(tree, number);
  writeFileSync(endedFile(tree, number, ".jsonl.gz"), change(gzipSync(readFileSync(plain))));
  unlinkSync(plain);
}

describe("packed journal that changed", () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["truncated", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["garbage", () => Buffer.from("no archive at all")],
    ["too large for memory", () => bomb],
  ])("causes a problem, is reported by the verifier and stays unchanged: %s", async (_name, change) => {
    const tree = await treeWithEnded(2);
    packByHand(tree, 0, change);
    const before = readFileSync(endedFile(tree, 0, ".jsonl.gz"));
    expect(() => openTreeJournal(tree).load(runAt(0))).toThrow(damaged);
    expect(() => openTreeJournal(tree).events(runAt(0))).toThrow(damaged);
    expect(verifyJournal(placeOf(tree), runAt(0)).findings.map(({ is }) => is)).toContain("damaged");
    const place = { ...placeOf(tree), processes: systemLockProcesses() };
    expect(await setAside(place, runAt(0))).toEqual({ is: "nothingToDo" });
    expect(readFileSync(endedFile(tree, 0, ".jsonl.gz")).equals(before)).toBe(true);
    expect(openTreeJournal(tree).load(runAt(1)).state.is).toBe("ended");
  });

  test("is reported as forged, like an unpacked one", async () => {
    const tree = await treeWithEnded(2);
    packByHand(tree, 0, (bytes) => gzipSync(gunzipSync(bytes).toString().replace("done", "gone")));
    expect(() => openTreeJournal(tree).load(runAt(0))).toThrow(ProblemError);
    expect(verifyJournal(placeOf(tree), runAt(0)).findings).not.toEqual([]);
  });

  test("is refused if it is a link", async () => {
    const tree = await treeWithEnded(2);
    packByHand(tree, 0);
    const outside = join(tree.root, "elsewhere.gz");
    cpSync(endedFile(tree, 0, ".jsonl.gz"), outside);
    unlinkSync(endedFile(tree, 0, ".jsonl.gz"));
    symlinkSync(outside, endedFile(tree, 0, ".jsonl.gz"));
    expect(() => openTreeJournal(tree).load(runAt(0))).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
  });
});

describe("interrupted packing", () => {
  const kills: readonly [Fault, PowerCut | null][] = [
    ["killBefore", null],
    ["killHalf", null],
    ["killAfter", null],
    ["killAfter", "nothing"],
    ["killAfter", "half"],
    ["killBefore", "zeros"],
    ["EIO", null],
    ["ENOSPC", null],
    ["shortWrite", null],
  ];
  test.each(kills)("loses no run and is finished by the next start: %s, power failure %s", async (fault, cut) => {
    const tree = await treeWithEnded(PLAIN + 1);
    const pristine = `${dirname(tree.root)}-pristine`;
    cpSync(dirname(tree.root), pristine, { recursive: true });
    const before = Array.from({ length: PLAIN + 1 }, (_, number) => told(tree, number));
    const counting = createFaultFiles(0, fault, hastyFiles);
    await startNext(tree, counting.files);
    expect(existsSync(endedFile(tree, 0))).toBe(false);
    const first = counting.calls.lastIndexOf("readdirSync") + 1;
    const last = counting.calls.length;
    expect(counting.calls.slice(first)).toEqual(expect.arrayContaining(["writeSync", "renameSync", "unlinkSync"]));
    let packedLater = 0;
    for (let at = first; at <= last; at++) {
      rmSync(dirname(tree.root), { recursive: true });
      cpSync(pristine, dirname(tree.root), { recursive: true });
      const faulty = createFaultFiles(at, fault, hastyFiles);
      await startNext(tree, faulty.files).catch(() => undefined);
      expect(faulty.hit(), `call ${at}`).toBe(true);
      if (cut !== null) faulty.cutPower(cut);
      for (const number of [0, 1, PLAIN]) expect(told(tree, number), `call ${at}`).toEqual(before[number]);
      if (existsSync(endedFile(tree, 0))) packedLater++;
      await finishAndStart(tree);
      expect(existsSync(endedFile(tree, 0)), `call ${at}`).toBe(false);
      expect(told(tree, 0)).toEqual(before[0]);
      expect(namesBelow(tree.journal).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }
    rmSync(pristine, { recursive: true });
    if (fault !== "shortWrite") expect(packedLater).toBeGreaterThan(0);
  });
});

async function startNext(tree: Tree, files: FileSystem): Promise<void> {
  const self = createFakeProcesses();
  const journal = openTreeJournal(tree, { files, processes: self.processes });
  try {
    await journal.create(runAt(PLAIN + 1), begin(runAt(PLAIN + 1)));
  } finally {
    self.die();
  }
}

/** Ends the open run and starts another, like a user. */
async function finishAndStart(tree: Tree): Promise<void> {
  const journal = openTreeJournal(tree, { files: hastyFiles });
  const open = journal.newest();
  if (open !== null && journal.load(open).state.is === "active") await journal.submit(open, end);
  expect((await journal.create(runAt(PLAIN + 2), begin(runAt(PLAIN + 2)))).ok).toBe(true);
  journal.close();
}
