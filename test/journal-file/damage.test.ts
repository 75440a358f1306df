import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyCursor } from "../../src/adapters/journal/fold.ts";
import { encodeRecord, genesis } from "../../src/adapters/journal/record.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { sealWith } from "../../src/adapters/files/user-key.ts";
import { accept } from "../../src/core/command.ts";
import { ProblemError, type ProblemCode } from "../../src/core/problem.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import { begin, lastMark, mark, RUN, started } from "./sample-commands.ts";
import { hastyFiles, SEAL, openTreeJournal, treeWithRun, type Tree } from "./sample-run.ts";
import type { Seal } from "../../src/ports/journal.ts";

const fileOf = (tree: Tree): string => join(tree.journal, `${RUN}.jsonl`);
const open = (tree: Tree) => openTreeJournal(tree, { files: hastyFiles });

/** The last mark read by a new process, or the code of its problem. */
function look(tree: Tree): string {
  try {
    return lastMark(open(tree).load(RUN).state);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code;
    throw error;
  }
}

async function problemOf(work: () => unknown): Promise<ProblemCode | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code;
    throw error;
  }
}

/** Resets the anchor to an earlier head, as after a kill before its update. */
function anchorAt(tree: Tree, seq: number): void {
  const [line] = readFileSync(fileOf(tree), "utf8")
    .split("\n")
    .slice(seq - 1);
  const hash = (JSON.parse(line ?? "") as { h: string }).h;
  createFileAnchors(tree.user, tree.root, hastyFiles).write(RUN, { seq, hash }, true);
}

/** Appends records made with any key, chained to the existing ones. */
function appendRecords(tree: Tree, seal: Seal, ...decisions: readonly (readonly unknown[])[]): void {
  const lines = readFileSync(fileOf(tree), "utf8").trimEnd().split("\n");
  let previous = (JSON.parse(lines.at(-1) ?? "") as { h: string }).h;
  let seq = lines.length + 1;
  for (const events of decisions) {
    const record = encodeRecord({ seq, at: "", events: events as readonly EventDraft[] }, previous, seal);
    appendFileSync(fileOf(tree), record.line);
    previous = record.hash;
    seq += events.length;
  }
}

describe("damaged journal", () => {
  test("is reported for a flipped bit in any byte of acknowledged records", async () => {
    const tree = await treeWithRun(3);
    const original = readFileSync(fileOf(tree));
    const seen = new Map<string, number>();
    for (let at = 0; at < original.length; at++) {
      const bytes = Buffer.from(original);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(fileOf(tree), bytes);
      const found = look(tree);
      seen.set(found, (seen.get(found) ?? 0) + 1);
    }
    expect([...seen.keys()].filter((found) => !found.startsWith("JOURNAL_"))).toEqual([]);
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(original.length);
    expect(original.length).toBeGreaterThan(1000);
  });

  test("loses only an unacknowledged last record with a flipped bit", async () => {
    const tree = await treeWithRun(3);
    anchorAt(tree, 3);
    const original = readFileSync(fileOf(tree));
    const lastFrom = original.lastIndexOf("\n", original.length - 2) + 1;
    const seen = new Set<string>();
    for (let at = lastFrom; at < original.length; at++) {
      const bytes = Buffer.from(original);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(fileOf(tree), bytes);
      seen.add(look(tree));
    }
    // A wrong seal on a complete record is not a torn write.
    expect(seen).toEqual(new Set(["m2", "JOURNAL_FORGED"]));
  });

  test("is reported if it is cut at any byte after an acknowledged record", async () => {
    const tree = await treeWithRun(3);
    const original = readFileSync(fileOf(tree));
    const seen = new Set<string>();
    for (let size = 0; size < original.length; size++) {
      writeFileSync(fileOf(tree), original.subarray(0, size));
      seen.add(look(tree));
    }
    expect(seen).toEqual(new Set(["JOURNAL_MISSING", "JOURNAL_CORRUPT"]));
  });

  test("opens at its last complete record if none after it was acknowledged", async () => {
    const tree = await treeWithRun(3);
    const original = readFileSync(fileOf(tree));
    rmSync(tree.user, { recursive: true });
    for (let size = 0; size <= original.length; size++) {
      writeFileSync(fileOf(tree), original.subarray(0, size));
      const whole = original.subarray(0, size).toString("latin1").split("\n").length - 1;
      expect(look(tree), `${size} bytes`).toBe(["none", "begun", "m1", "m2", "m3"][whole]);
    }
  });

  test("is repaired by the next writer, which saves a torn rest", async () => {
    const tree = await treeWithRun(1);
    const torn = `{"seq":3,"at":"${"x".repeat(3000)}`; // Longer than the record written in its place.
    appendFileSync(fileOf(tree), torn);
    const size = readFileSync(fileOf(tree)).length;
    expect(look(tree)).toBe("m1");
    expect(readFileSync(fileOf(tree)).length).toBe(size);
    await open(tree).submit(RUN, mark("next"));
    expect(look(tree)).toBe("next");
    expect(readFileSync(join(tree.journal, `${RUN}.torn`), "utf8")).toBe(torn);
    expect(readFileSync(fileOf(tree), "utf8")).not.toContain("xxx");
  });

  test("stops every command without a write if a line within it is invalid", async () => {
    const tree = await treeWithRun(3);
    rmSync(tree.user, { recursive: true });
    const lines = readFileSync(fileOf(tree), "utf8").split("\n");
    lines[2] = "{}";
    const damaged = lines.join("\n");
    writeFileSync(fileOf(tree), damaged);
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_CORRUPT");
    expect(readFileSync(fileOf(tree), "utf8")).toBe(damaged);
  });

  test("stops a process that has read more records than exist now", async () => {
    const tree = await treeWithRun(2);
    const journal = open(tree);
    journal.load(RUN);
    rmSync(tree.user, { recursive: true });
    const lines = readFileSync(fileOf(tree), "utf8").split("\n");
    truncateSync(fileOf(tree), Buffer.byteLength(`${lines[0]}\n${lines[1]}\n`));
    expect(await problemOf(() => journal.submit(RUN, mark("x")))).toBe("JOURNAL_CORRUPT");
  });
});

describe("forged journal", () => {
  test("is refused with a record made without the user's key", async () => {
    const tree = await treeWithRun(1);
    appendRecords(tree, sealWith(Buffer.alloc(32, 8)), [...accepted("forged")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_FORGED");
  });

  test("is refused if it replaces the acknowledged one, despite the right key", async () => {
    const tree = await treeWithRun(1);
    const first = encodeRecord({ seq: 1, at: "", events: [started(RUN)] }, genesis(RUN), SEAL);
    const second = encodeRecord({ seq: 2, at: "", events: accepted("other") }, first.hash, SEAL);
    writeFileSync(fileOf(tree), Buffer.concat([first.line, second.line]));
    expect(look(tree)).toBe("JOURNAL_FORGED");
  });

  test("is refused with records appended past a missing head, despite the right key", async () => {
    const tree = await treeWithRun(1);
    const [first = ""] = readFileSync(fileOf(tree), "utf8").split("\n");
    writeFileSync(fileOf(tree), `${first}\n`);
    appendRecords(tree, SEAL, [...accepted("one"), ...accepted("two")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_FORGED");
  });

  test("is refused with a seal of another length", async () => {
    const tree = await treeWithRun(1);
    const longer = { ...SEAL, mark: (hash: string) => `${SEAL.mark(hash)}00000000` };
    appendRecords(tree, longer, [...accepted("forged")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
  });

  test("is refused if it belongs to another run", async () => {
    const tree = await treeWithRun(1);
    const other = "20261115-101500124-k3f9";
    writeFileSync(join(tree.journal, `${other}.jsonl`), readFileSync(fileOf(tree)));
    expect(await problemOf(() => open(tree).load(other))).toBe("JOURNAL_CORRUPT");
  });

  test("is reported as missing if the open run's file is deleted", async () => {
    const tree = await treeWithRun(1);
    rmSync(fileOf(tree));
    expect(await problemOf(() => open(tree).newest())).toBe("JOURNAL_MISSING");
    expect(await problemOf(() => open(tree).load(RUN))).toBe("JOURNAL_MISSING");
    const other = "20261116-101500124-k3f9";
    expect(await problemOf(() => open(tree).create(other, begin(other)))).toBe("JOURNAL_MISSING");
    rmSync(tree.root, { recursive: true });
  });

  test("is reported as missing if the whole folder is deleted", async () => {
    const tree = await treeWithRun(1);
    const journal = open(tree);
    rmSync(join(tree.root, ".isdlc"), { recursive: true });
    expect(await problemOf(() => journal.newest())).toBe("JOURNAL_MISSING");
    expect(await problemOf(() => journal.submit(RUN, mark("x")))).toBe("JOURNAL_MISSING");
  });
});

const deep = JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`) as unknown;

describe("unknown content of a journal", () => {
  test.each<[string, readonly unknown[], ProblemCode]>([
    ["an unknown event", [{ type: "run.teleported" }], "JOURNAL_NEWER"],
    ["an unknown event after a known one", [...accepted("a"), { type: "x" }], "JOURNAL_NEWER"],
    ["a known event with other fields", [{ type: "run.prepared", extra: 1 }], "JOURNAL_CORRUPT"],
    ["an event without a type", [{}], "JOURNAL_CORRUPT"],
    ["a record without events", [], "JOURNAL_CORRUPT"],
    ["null", [null], "JOURNAL_CORRUPT"],
    ["a prototype", [JSON.parse('{"type":"run.prepared","__proto__":{"enabled":true}}')], "JOURNAL_CORRUPT"],
    ["a prototype's name as type", [{ type: "__proto__" }], "JOURNAL_NEWER"],
    ["deep nesting", [{ type: "run.prepared", deep }], "JOURNAL_CORRUPT"],
  ])("is refused without a write: %s", async (_, events, code) => {
    const tree = await treeWithRun(1);
    appendRecords(tree, SEAL, events);
    const before = readFileSync(fileOf(tree));
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe(code);
    expect(readFileSync(fileOf(tree)).equals(before)).toBe(true);
    expect(({} as { enabled?: boolean }).enabled).toBeUndefined();
  });

  test.each([
    ["a very long line", `${"x".repeat(17 * 1024 * 1024)}\n`],
    ["200,000 brackets", `${"[".repeat(200_000)}\n`],
    ["zeros", `${"\0".repeat(5000)}\n`],
    ["bytes that are not UTF-8", "\xff\xfe\n"],
  ])("is damage within the journal and a torn rest at its end: %s", async (_, text) => {
    const tree = await treeWithRun(1);
    appendFileSync(fileOf(tree), text, "latin1");
    expect(look(tree)).toBe("m1");
    appendFileSync(fileOf(tree), "{}\n");
    expect(look(tree)).toBe("JOURNAL_CORRUPT");
  });

  test("writes no decision that could not be read back", async () => {
    const tree = await treeWithRun(1);
    const before = readFileSync(fileOf(tree));
    const wrong = { type: "run.prepared", extra: 1 } as unknown as EventDraft;
    const deciding = openTreeJournal(tree, { decide: () => accept(wrong) });
    expect(await problemOf(() => deciding.submit(RUN, mark("x")))).toBe("JOURNAL_CORRUPT");
    const huge = mark("x".repeat(17 * 1024 * 1024));
    expect(await problemOf(() => open(tree).submit(RUN, huge))).toBe("WRITE_FAILED");
    expect(readFileSync(fileOf(tree)).equals(before)).toBe(true);
  });
});

test("hashes an empty journal differently for each run", () => {
  expect(emptyCursor(RUN).hash).not.toBe(emptyCursor("20261116-101500123-k3f9").hash);
});

function accepted(name: string): readonly EventDraft[] {
  const by = { name: "ada", channel: "terminal" } as const;
  return [{ type: "agents.changed", by, agent: { name, digest: "0" }, reviewer: { name, digest: "0" } }];
}
