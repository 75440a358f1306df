import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFiles, type FileSystem } from "../../src/adapters/files/file-system.ts";
import { setAside } from "../../src/adapters/journal/set-aside.ts";
import { verifyJournal } from "../../src/adapters/journal/verify-journal.ts";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { begin, end, lastMark, mark, NEXT_RUN, RUN } from "./sample-commands.ts";
import { hastyFiles, SEAL, namesBelow, newTree, openTreeJournal } from "./sample-run.ts";
import { treeWithRun, type Tree } from "./sample-run.ts";

const fileOf = (tree: Tree): string => join(tree.journal, `${RUN}.jsonl`);
const unsafe = expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) });

describe("journal paths that are links", () => {
  test.each([
    ["the parent folder", (tree: Tree) => dirname(tree.journal)],
    ["the journal folder", (tree: Tree) => tree.journal],
    ["the journal", fileOf],
  ])("are refused by readers and writers without touching the target: %s", async (_, pick) => {
    const tree = await treeWithRun(1);
    const path = pick(tree);
    const target = join(tree.root, "elsewhere");
    renameSync(path, target);
    symlinkSync(target, path);
    const before = namesBelow(tree.root);
    const content = lstatSync(target).isFile() ? readFileSync(target, "utf8") : "";
    expect(() => openTreeJournal(tree).load(RUN)).toThrow(unsafe);
    await expect(openTreeJournal(tree).submit(RUN, mark("x"))).rejects.toThrow(unsafe);
    await expect(openTreeJournal(tree).create(NEXT_RUN, begin(NEXT_RUN))).rejects.toThrow(unsafe);
    expect(lstatSync(target).isFile() ? readFileSync(target, "utf8") : "").toBe(content);
    expect(namesBelow(tree.root).filter((name) => !name.includes("lock."))).toEqual(before);
  });

  test("refuses a pipe instead of the journal immediately", () => {
    const tree = newTree();
    mkdirSync(tree.journal, { recursive: true });
    execFileSync("mkfifo", [fileOf(tree)]);
    expect(() => openTreeJournal(tree).load(RUN)).toThrow(unsafe);
  });

  test.each(["../../x", "..", "a/b", "", "20261115-101500123-k3f9/../x"])("rejects the run id %j", async (run) => {
    const tree = newTree();
    expect(() => openTreeJournal(tree).load(run)).toThrow(unsafe);
    await expect(openTreeJournal(tree).create(run, begin(run))).rejects.toThrow(unsafe);
    expect(namesBelow(tree.root)).toEqual([]);
  });
});

describe("ended runs", () => {
  test("are moved when the next run starts, and are found again", async () => {
    const tree = await treeWithRun(1);
    const journal = openTreeJournal(tree, { files: hastyFiles });
    await journal.submit(RUN, end);
    await journal.create(NEXT_RUN, begin(NEXT_RUN));
    expect(namesBelow(tree.journal)).toEqual([`${NEXT_RUN}.jsonl`, "ended", `ended/${RUN}.jsonl`]);
    expect(openTreeJournal(tree).load(RUN).state.is).toBe("ended");
    expect(openTreeJournal(tree).events(RUN)).toHaveLength(3);
    expect(openTreeJournal(tree).newest()).toBe(NEXT_RUN);
  });

  test("do not slow down the search for the newest run", async () => {
    const tree = await treeWithRun(1);
    const folder = join(tree.journal, "ended");
    mkdirSync(folder);
    const count = (): number => {
      let calls = 0;
      const counting = Object.fromEntries(
        Object.entries(nodeFiles).map(([name, call]) => [
          name,
          (...args: unknown[]) => (calls++, (call as (...args: unknown[]) => unknown)(...args)),
        ]),
      ) as unknown as FileSystem;
      expect(openTreeJournal(tree, { files: counting }).newest()).toBe(RUN);
      return calls;
    };
    const few = count();
    for (let number = 0; number < 1000; number++) {
      writeFileSync(join(folder, `20250101-101500${String(number).padStart(3, "0")}-aaaa.jsonl`), "");
    }
    expect(count()).toBe(few);
  });

  test("include the newest run if none is open", async () => {
    const tree = await treeWithRun(0);
    const journal = openTreeJournal(tree, { files: hastyFiles });
    await journal.submit(RUN, end);
    mkdirSync(join(tree.journal, "ended"));
    renameSync(fileOf(tree), join(tree.journal, "ended", `${RUN}.jsonl`));
    expect(openTreeJournal(tree).newest()).toBe(RUN);
  });
});

describe("snapshots", () => {
  test("reduce reading and are ignored if they do not match", async () => {
    const tree = await treeWithRun(100);
    const snapshot = fileOf(tree).replace(".jsonl", ".snap");
    const expected = openTreeJournal(tree, { version: "other" }).load(RUN);
    expect(bytesRead(tree, "1")).toBeLessThan(bytesRead(tree, "other") / 1.5);
    expect(openTreeJournal(tree).load(RUN)).toEqual(expected);
    const content = readFileSync(snapshot);
    for (const damaged of [
      content.subarray(0, 100),
      Buffer.alloc(0),
      Buffer.from(content.toString().replace('"title":"A title', '"title":"Another title')),
    ]) {
      expect(damaged.equals(content)).toBe(false);
      writeFileSync(snapshot, damaged);
      expect(openTreeJournal(tree).load(RUN)).toEqual(expected);
    }
    expect(lastMark(expected.state)).toBe("m100");
  });

  test("prove that records are missing", async () => {
    const tree = await treeWithRun(100);
    writeFileSync(fileOf(tree), readFileSync(fileOf(tree), "utf8").split("\n").slice(0, 10).join("\n") + "\n");
    const none = createFileAnchors(join(tree.user, "none"), tree.root);
    expect(none.read(RUN)).toBeNull();
    const journal = openTreeJournal({ ...tree, user: join(tree.user, "none") });
    expect(() => journal.load(RUN)).toThrow(
      expect.objectContaining({ problem: { code: "JOURNAL_MISSING", run: RUN, seq: 64 } }),
    );
  });
});

describe("doctor's checks of a journal", () => {
  const placeOf = (tree: Tree) => ({
    directory: tree.journal,
    files: hastyFiles,
    seal: SEAL,
    anchors: createFileAnchors(tree.user, tree.root),
    processes: systemLockProcesses(),
  });

  test("find nothing in a valid journal and change nothing", async () => {
    const tree = await treeWithRun(3);
    expect(verifyJournal(placeOf(tree), RUN)).toMatchObject({ findings: [], lines: 4, head: { seq: 4 }, open: true });
    expect(await setAside(placeOf(tree), RUN)).toEqual({ is: "nothingToDo" });
  });

  test.each<[string, (text: string) => string, readonly string[]]>([
    ["a torn rest", (text) => `${text}{"seq":`, ["torn"]],
    ["damage within the journal", (text) => text.replace("m2", "mX"), ["damaged", "missing"]],
    ["missing records", (text) => text.split("\n").slice(0, 2).join("\n") + "\n", ["missing"]],
    [
      "a foreign seal",
      (text) => text.replace(/"m":"[0-9a-f]{32}"\}\n$/, `"m":"${"0".repeat(32)}"}\n`),
      ["forged", "missing"],
    ],
  ])("find %s and cut it off, with every byte saved", async (_, harm, kinds) => {
    const tree = await treeWithRun(3);
    const harmed = harm(readFileSync(fileOf(tree), "utf8"));
    writeFileSync(fileOf(tree), harmed);
    expect(verifyJournal(placeOf(tree), RUN).findings.map((finding) => finding.is)).toEqual(kinds);
    const cut = await setAside(placeOf(tree), RUN);
    expect(cut).toMatchObject({ is: "cut" });
    const kept = cut.is === "cut" && cut.kept !== null ? readFileSync(cut.kept, "utf8") : "";
    expect(readFileSync(fileOf(tree), "utf8") + kept).toBe(harmed);
    expect(verifyJournal(placeOf(tree), RUN).findings).toEqual([]);
    expect((await openTreeJournal(tree).submit(RUN, mark("next"))).ok).toBe(true);
    expect(
      namesBelow(dirname(tree.journal)).filter((name) => name.startsWith("lock.steal") || name === "lock"),
    ).toEqual([]);
  });

  test.each([
    ["a missing journal", fileOf],
    ["a missing journal folder", (tree: Tree) => tree.journal],
    ["a missing .isdlc folder", (tree: Tree) => dirname(tree.journal)],
  ])("abandon a run with %s, and a new run may start", async (_, pick) => {
    const tree = await treeWithRun(1);
    renameSync(pick(tree), join(tree.root, "gone"));
    expect(verifyJournal(placeOf(tree), RUN)).toMatchObject({ file: null, findings: [{ is: "missing" }] });
    expect(await setAside(placeOf(tree), RUN)).toMatchObject({ is: "givenUp" });
    expect((await openTreeJournal(tree).create(NEXT_RUN, begin(NEXT_RUN))).ok).toBe(true);
    expect(existsSync(fileOf(tree))).toBe(false);
  });
});

function bytesRead(tree: Tree, version: string): number {
  let bytes = 0;
  const readSync = ((...args: Parameters<typeof nodeFiles.readSync>) => {
    const read = nodeFiles.readSync(...args);
    bytes += read;
    return read;
  }) as typeof nodeFiles.readSync;
  openTreeJournal(tree, { files: { ...nodeFiles, readSync }, version }).load(RUN);
  return bytes;
}
