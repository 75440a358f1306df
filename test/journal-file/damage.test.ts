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

/** The last mark a new process sees, or the code of the problem it meets. */
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

/** Takes the anchor back to an earlier head, as if the process had been killed before it was written. */
function anchorAt(tree: Tree, seq: number): void {
  const [line] = readFileSync(fileOf(tree), "utf8")
    .split("\n")
    .slice(seq - 1);
  const hash = (JSON.parse(line ?? "") as { h: string }).h;
  createFileAnchors(tree.user, tree.root, hastyFiles).write(RUN, { seq, hash }, true);
}

/** Appends records made with any key, chained to what is there. */
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

describe("damage never passes in silence", () => {
  test("a flipped bit in any byte of an acknowledged journal is a problem", async () => {
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

  test("a flipped bit in a last record nobody was told about loses that record and no other", async () => {
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
    // A wrong signature on a whole record is no torn write.
    expect(seen).toEqual(new Set(["m2", "JOURNAL_FORGED"]));
  });

  test("a journal cut at any byte is a problem when more was acknowledged", async () => {
    const tree = await treeWithRun(3);
    const original = readFileSync(fileOf(tree));
    const seen = new Set<string>();
    for (let size = 0; size < original.length; size++) {
      writeFileSync(fileOf(tree), original.subarray(0, size));
      seen.add(look(tree));
    }
    expect(seen).toEqual(new Set(["JOURNAL_MISSING", "JOURNAL_CORRUPT"]));
  });

  test("a journal cut at any byte opens at its last whole record when nothing says there was more", async () => {
    const tree = await treeWithRun(3);
    const original = readFileSync(fileOf(tree));
    rmSync(tree.user, { recursive: true });
    for (let size = 0; size <= original.length; size++) {
      writeFileSync(fileOf(tree), original.subarray(0, size));
      const whole = original.subarray(0, size).toString("latin1").split("\n").length - 1;
      expect(look(tree), `${size} bytes`).toBe(["none", "begun", "m1", "m2", "m3"][whole]);
    }
  });

  test("a torn rest is kept beside the journal by the next writer, and readers leave it alone", async () => {
    const tree = await treeWithRun(1);
    const torn = `{"seq":3,"at":"${"x".repeat(3000)}`; // longer than what is written in its place
    appendFileSync(fileOf(tree), torn);
    const size = readFileSync(fileOf(tree)).length;
    expect(look(tree)).toBe("m1");
    expect(readFileSync(fileOf(tree)).length).toBe(size);
    await open(tree).submit(RUN, mark("next"));
    expect(look(tree)).toBe("next");
    expect(readFileSync(join(tree.journal, `${RUN}.torn`), "utf8")).toBe(torn);
    expect(readFileSync(fileOf(tree), "utf8")).not.toContain("xxx");
  });

  test("a bad line before others stops everything and nothing is written", async () => {
    const tree = await treeWithRun(3);
    rmSync(tree.user, { recursive: true });
    const lines = readFileSync(fileOf(tree), "utf8").split("\n");
    lines[2] = "{}";
    const damaged = lines.join("\n");
    writeFileSync(fileOf(tree), damaged);
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_CORRUPT");
    expect(readFileSync(fileOf(tree), "utf8")).toBe(damaged);
  });

  test("a process that has seen more than is there now does not go on", async () => {
    const tree = await treeWithRun(2);
    const journal = open(tree);
    journal.load(RUN);
    rmSync(tree.user, { recursive: true });
    const lines = readFileSync(fileOf(tree), "utf8").split("\n");
    truncateSync(fileOf(tree), Buffer.byteLength(`${lines[0]}\n${lines[1]}\n`));
    expect(await problemOf(() => journal.submit(RUN, mark("x")))).toBe("JOURNAL_CORRUPT");
  });
});

describe("forgery", () => {
  test("a whole record made without the user's key opens nothing", async () => {
    const tree = await treeWithRun(1);
    appendRecords(tree, sealWith(Buffer.alloc(32, 8)), [...accepted("forged")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_FORGED");
  });

  test("a journal other than the acknowledged one is refused, though made with the key", async () => {
    const tree = await treeWithRun(1);
    const first = encodeRecord({ seq: 1, at: "", events: [started(RUN)] }, genesis(RUN), SEAL);
    const second = encodeRecord({ seq: 2, at: "", events: accepted("other") }, first.hash, SEAL);
    writeFileSync(fileOf(tree), Buffer.concat([first.line, second.line]));
    expect(look(tree)).toBe("JOURNAL_FORGED");
  });

  test("a record that jumps over the acknowledged head is refused, though made with the key", async () => {
    const tree = await treeWithRun(1);
    const [first = ""] = readFileSync(fileOf(tree), "utf8").split("\n");
    writeFileSync(fileOf(tree), `${first}\n`);
    appendRecords(tree, SEAL, [...accepted("one"), ...accepted("two")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe("JOURNAL_FORGED");
  });

  test("a mark of another length fits nothing", async () => {
    const tree = await treeWithRun(1);
    const longer = { ...SEAL, mark: (hash: string) => `${SEAL.mark(hash)}00000000` };
    appendRecords(tree, longer, [...accepted("forged")]);
    expect(look(tree)).toBe("JOURNAL_FORGED");
  });

  test("one run's journal does not pass for another's", async () => {
    const tree = await treeWithRun(1);
    const other = "20261115-101500124-k3f9";
    writeFileSync(join(tree.journal, `${other}.jsonl`), readFileSync(fileOf(tree)));
    expect(await problemOf(() => open(tree).load(other))).toBe("JOURNAL_CORRUPT");
  });

  test("an open run whose journal is gone is missing, not absent", async () => {
    const tree = await treeWithRun(1);
    rmSync(fileOf(tree));
    expect(await problemOf(() => open(tree).newest())).toBe("JOURNAL_MISSING");
    expect(await problemOf(() => open(tree).load(RUN))).toBe("JOURNAL_MISSING");
    const other = "20261116-101500124-k3f9";
    expect(await problemOf(() => open(tree).create(other, begin(other)))).toBe("JOURNAL_MISSING");
    rmSync(tree.root, { recursive: true });
  });

  test("so it is when the whole folder is gone", async () => {
    const tree = await treeWithRun(1);
    const journal = open(tree);
    rmSync(join(tree.root, ".isdlc"), { recursive: true });
    expect(await problemOf(() => journal.newest())).toBe("JOURNAL_MISSING");
    expect(await problemOf(() => journal.submit(RUN, mark("x")))).toBe("JOURNAL_MISSING");
  });
});

const deep = JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`) as unknown;

describe("content that no version of this program wrote", () => {
  test.each<[string, readonly unknown[], ProblemCode]>([
    ["an unknown event", [{ type: "run.teleported" }], "JOURNAL_NEWER"],
    ["an unknown event after a known one", [...accepted("a"), { type: "x" }], "JOURNAL_NEWER"],
    ["a known event with other fields", [{ type: "run.prepared", extra: 1 }], "JOURNAL_CORRUPT"],
    ["an event without a type", [{}], "JOURNAL_CORRUPT"],
    ["no event", [], "JOURNAL_CORRUPT"],
    ["null", [null], "JOURNAL_CORRUPT"],
    ["a prototype", [JSON.parse('{"type":"run.prepared","__proto__":{"enabled":true}}')], "JOURNAL_CORRUPT"],
    ["a prototype's name as type", [{ type: "__proto__" }], "JOURNAL_NEWER"],
    ["deep nesting", [{ type: "run.prepared", deep }], "JOURNAL_CORRUPT"],
  ])("%s is refused, and nothing is written", async (_, events, code) => {
    const tree = await treeWithRun(1);
    appendRecords(tree, SEAL, events);
    const before = readFileSync(fileOf(tree));
    expect(await problemOf(() => open(tree).submit(RUN, mark("x")))).toBe(code);
    expect(readFileSync(fileOf(tree)).equals(before)).toBe(true);
    expect(({} as { enabled?: boolean }).enabled).toBeUndefined();
  });

  test.each([
    ["a very long line", `${"x".repeat(17 * 1024 * 1024)}\n`],
    ["two hundred thousand brackets", `${"[".repeat(200_000)}\n`],
    ["zeros", `${"\0".repeat(5000)}\n`],
    ["bytes that are no text", "\xff\xfe\n"],
  ])("%s in the middle is damage, at the end a torn rest", async (_, text) => {
    const tree = await treeWithRun(1);
    appendFileSync(fileOf(tree), text, "latin1");
    expect(look(tree)).toBe("m1");
    appendFileSync(fileOf(tree), "{}\n");
    expect(look(tree)).toBe("JOURNAL_CORRUPT");
  });

  test("a decision that could not be read back is not written", async () => {
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

test("an empty journal stands at the run's own beginning", () => {
  expect(emptyCursor(RUN).hash).not.toBe(emptyCursor("20261116-101500123-k3f9").hash);
});

function accepted(name: string): readonly EventDraft[] {
  const by = { name: "ada", channel: "terminal" } as const;
  return [{ type: "agents.changed", by, agent: { name, digest: "0" }, reviewer: { name, digest: "0" } }];
}
