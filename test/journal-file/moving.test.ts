import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../src/adapters/files/file-system.ts";
import { countermark, withCountermarks } from "../../src/adapters/files/countermarks.ts";
import {
  arrive,
  comeBack,
  lastJourney,
  leave,
  leavingRuns,
  type MovingLocation,
  settle,
} from "../../src/adapters/journal/move-journal.ts";
import { verifyJournal } from "../../src/adapters/journal/verify-journal.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { sealWith } from "../../src/adapters/files/user-key.ts";
import { createFaultFiles, Killed } from "../support/fault-files.ts";
import { begin, end, mark, NEXT_RUN, RUN } from "./sample-commands.ts";
import {
  createFakeProcesses,
  hastyFiles,
  newTree,
  openTreeJournal,
  SEAL,
  type Tree,
  treeWithRun,
} from "./sample-run.ts";

const JOURNEY = { to: "the team" };

/** A process's view; `files` can kill it at any call. */
function placeOf(
  tree: Tree,
  files: FileSystem = hastyFiles,
  processes = createFakeProcesses().processes,
): MovingLocation {
  const anchors = createFileAnchors(tree.user, tree.root, files);
  return { directory: tree.journal, files, anchors, seal: SEAL, processes };
}

type Where = "open" | "leaving" | "nowhere";

/** Place where the run can continue, determined by a new process. */
function whereIs(tree: Tree): Where {
  const journal = openTreeJournal(tree, { files: hastyFiles });
  const isOpen = journal.current()?.state.is === "active";
  journal.close();
  const isLeaving = leavingRuns(placeOf(tree)).some(({ run }) => run === RUN);
  expect([isOpen, isLeaving]).not.toEqual([true, true]);
  return isOpen ? "open" : isLeaving ? "leaving" : "nowhere";
}

type Step = {
  readonly name: string;
  readonly before: () => Promise<Tree>;
  readonly act: (place: MovingLocation, tree: Tree) => Promise<unknown>;
  /** Possible places after a kill; the last one is the destination. */
  readonly left: readonly Where[];
};

const whole = (tree: Tree): string => readFileSync(join(tree.journal, `${RUN}.jsonl`), "utf8");

/** A run moved from its tree to another one, in which a run has ended. */
async function elsewhere(): Promise<{ bytes: Buffer; head: { seq: number; hash: string } }> {
  const tree = newTree();
  const journal = openTreeJournal(tree, { files: hastyFiles });
  const start = begin(RUN);
  await journal.create(RUN, { ...start, facts: { ...start.facts, tree: { root: tree.root, repository: null } } });
  const { head } = await journal.submit(RUN, mark("a"));
  journal.close();
  return { bytes: Buffer.from(whole(tree)), head };
}

async function treeWithEndedRun(): Promise<Tree> {
  const tree = newTree();
  const journal = openTreeJournal(tree, { files: hastyFiles });
  await journal.create(NEXT_RUN, begin(NEXT_RUN));
  await journal.submit(NEXT_RUN, end);
  journal.close();
  return tree;
}

const left = async (): Promise<Tree> => {
  const tree = await treeWithRun(2);
  await leave(placeOf(tree), RUN, JOURNEY);
  return tree;
};

let arriving: ReturnType<typeof elsewhere> | null = null;

const steps: readonly Step[] = [
  {
    name: "leave",
    before: () => treeWithRun(2),
    act: (place, tree) => (whereIs(tree) === "open" ? leave(place, RUN, JOURNEY) : Promise.resolve()),
    left: ["open", "leaving"],
  },
  {
    name: "settle",
    before: left,
    act: (place, tree) => (whereIs(tree) === "leaving" ? settle(place, RUN) : Promise.resolve()),
    left: ["leaving", "nowhere"],
  },
  {
    name: "comeBack",
    before: left,
    act: (place, tree) => (whereIs(tree) === "leaving" ? comeBack(place, RUN) : Promise.resolve()),
    left: ["leaving", "open"],
  },
  {
    name: "arrive",
    before: treeWithEndedRun,
    act: async (place) => arrive(place, { run: RUN, ...(await (arriving ??= elsewhere())) }),
    left: ["nowhere", "open"],
  },
];

describe.each(steps)("kill at every file call of $name", ({ before, act, left: expected }) => {
  test("leaves the run in one place, and a repeated call finishes the move", async () => {
    const counting = createFaultFiles(0, "killBefore", hastyFiles);
    const first = await before();
    await act(placeOf(first, counting.files), first);
    expect(whereIs(first)).toBe(expected.at(-1));
    expect(counting.calls.length).toBeGreaterThan(10);
    const found = new Set<Where>();
    for (let at = 1; at <= counting.calls.length; at++) {
      const tree = await before();
      const faulty = createFaultFiles(at, "killBefore", hastyFiles);
      const process = createFakeProcesses();
      await act(placeOf(tree, faulty.files, process.processes), tree).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Killed);
      });
      process.die();
      const where = whereIs(tree);
      found.add(where);
      expect(expected, `call ${at}, ${counting.calls[at - 1]}`).toContain(where);
      await act(placeOf(tree), tree);
      expect(whereIs(tree), `after call ${at}, ${counting.calls[at - 1]}`).toBe(expected.at(-1));
    }
    expect(found).toEqual(new Set(expected));
  });
});

describe("moving journal", () => {
  test("leaves with every byte and keeps the facts about its journey", async () => {
    const tree = await treeWithRun(3);
    const before = whole(tree);
    const { bytes } = await leave(placeOf(tree), RUN, JOURNEY);
    expect(bytes.toString("utf8")).toBe(before);
    expect(leavingRuns(placeOf(tree))).toMatchObject([{ run: RUN, journey: JOURNEY }]);
    await settle(placeOf(tree), RUN);
    expect(leavingRuns(placeOf(tree))).toEqual([]);
    expect(lastJourney(placeOf(tree), RUN)).toEqual(JOURNEY);
  });

  test("returns unchanged and continues", async () => {
    const tree = await left();
    await comeBack(placeOf(tree), RUN);
    const journal = openTreeJournal(tree, { files: hastyFiles });
    expect(await journal.submit(RUN, mark("later"))).toMatchObject({ ok: true });
    expect(verifyJournal(placeOf(tree), RUN).findings).toEqual([]);
    journal.close();
  });

  test("is refused if another run is open or the journal is invalid", async () => {
    const tree = await treeWithRun(1);
    const arriving = { run: NEXT_RUN, bytes: Buffer.from(""), head: { seq: 1, hash: "0".repeat(64) } };
    await expect(arrive(placeOf(tree), arriving)).rejects.toMatchObject({ problem: { code: "COMMAND_REFUSED" } });
    const other = { ...placeOf(tree), seal: sealWith(Buffer.alloc(32, 9)) };
    await expect(leave(other, RUN, JOURNEY)).rejects.toMatchObject({ problem: { code: "RUN_NOT_MOVABLE" } });
  });
});

describe("countermark", () => {
  const [mine, theirs] = [SEAL, sealWith(Buffer.alloc(32, 9))];
  const [hash, other] = ["a".repeat(64), "b".repeat(64)];
  const made = new Map([[hash, countermark(mine, hash)]]);
  const seal = withCountermarks(mine, (of) => made.get(of));

  test("makes exactly one record of another key valid", () => {
    expect(seal.fits(hash, theirs.mark(hash), "")).toBe(true);
    expect(seal.fits(other, theirs.mark(other), "")).toBe(false);
    expect(seal.fits(other, mine.mark(other), "")).toBe(true);
  });

  test("is not valid as a mark, nor a mark as countermark", () => {
    expect(mine.fits(hash, countermark(mine, hash), "")).toBe(false);
    const swapped = withCountermarks(mine, () => mine.mark(hash));
    expect(swapped.fits(hash, theirs.mark(hash), "")).toBe(false);
  });

  test("is invalid if made with another key", () => {
    const foreign = withCountermarks(mine, (of) => countermark(theirs, of));
    expect(foreign.fits(hash, theirs.mark(hash), "")).toBe(false);
  });
});
