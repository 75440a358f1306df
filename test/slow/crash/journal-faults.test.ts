import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { FileJournal } from "../../../src/adapters/journal/create-file-journal.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { SubmitResult } from "../../../src/ports/journal.ts";
import { createFaultFiles, Killed, type Fault, type PowerCut } from "../../support/fault-files.ts";
import { begin, end, lastMark, mark, NEXT_RUN, RUN } from "../../journal-file/sample-commands.ts";
import {
  createFakeProcesses,
  hastyFiles,
  namesBelow,
  openTreeJournal,
  scratchFolder,
  treeIn,
  type Tree,
} from "../../journal-file/sample-run.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

type Scenario = {
  readonly name: string;
  readonly prepare: (tree: Tree) => Promise<void>;
  readonly act: (journal: FileJournal) => Promise<SubmitResult>;
  /** Newest run and its last mark, before and after the action. */
  readonly before: string;
  readonly after: string;
};

const scenarios: readonly Scenario[] = [
  {
    name: "the first run",
    prepare: async () => {},
    act: (journal) => journal.create(RUN, begin(RUN)),
    before: "none",
    after: `${RUN} begun`,
  },
  {
    name: "a run after an ended run",
    prepare: (tree) => prepared(tree, [begin, end]),
    act: (journal) => journal.create(NEXT_RUN, begin(NEXT_RUN)),
    before: `${RUN} ended begun`,
    after: `${NEXT_RUN} begun`,
  },
  {
    name: "a decision",
    prepare: (tree) => prepared(tree, [begin, mark("a")]),
    act: (journal) => journal.submit(RUN, mark("b")),
    before: `${RUN} a`,
    after: `${RUN} b`,
  },
  {
    name: "a decision after a torn record",
    prepare: async (tree) => {
      await prepared(tree, [begin, mark("a")]);
      // Longer than the record that overwrites it.
      appendFileSync(join(tree.journal, `${RUN}.jsonl`), `{"seq":3,"at":"${"x".repeat(3000)}`);
    },
    act: (journal) => journal.submit(RUN, mark("b")),
    before: `${RUN} a`,
    after: `${RUN} b`,
  },
  {
    name: "a decision that writes a snapshot",
    prepare: (tree) => prepared(tree, [begin, ...Array.from({ length: 62 }, () => mark("a"))]),
    act: (journal) => journal.submit(RUN, mark("b")),
    before: `${RUN} a`,
    after: `${RUN} b`,
  },
  {
    name: "a decision under a lock of two dead processes",
    prepare: async (tree) => {
      await prepared(tree, [begin, mark("a")]);
      const folder = dirname(tree.journal);
      const [dead, heir] = [deadHolder("5999998-00000000000000aa"), deadHolder("5999999-00000000000000bb")];
      writeFileSync(join(folder, "lock"), dead);
      writeFileSync(join(folder, "lock.5999998-00000000000000aa"), dead);
      writeFileSync(join(folder, "lock.steal.5999998-00000000000000aa"), heir);
      writeFileSync(join(folder, "lock.5999999-00000000000000bb"), heir);
    },
    act: (journal) => journal.submit(RUN, mark("b")),
    before: `${RUN} a`,
    after: `${RUN} b`,
  },
  {
    name: "the last decision",
    prepare: (tree) => prepared(tree, [begin, mark("a")]),
    act: (journal) => journal.submit(RUN, end),
    before: `${RUN} a`,
    after: `${RUN} ended a`,
  },
];

const base = mkdtempSync(join(scratchFolder, "isdlc-faults-"));
afterAll(() => removeTemporary(base));

describe.each(scenarios)("journal at every file call of $name", (scenario) => {
  test("keeps acknowledged records after a kill", async () => {
    const bench = await createBench(scenario);
    const hits = { killBefore: 0, killHalf: 0, killAfter: 0 };
    for (const [index, call] of bench.calls.entries()) {
      // The state after a call equals the state before the next one, except for the last call.
      const faults =
        index + 1 === bench.calls.length ? (["killBefore", "killAfter"] as const) : (["killBefore"] as const);
      for (const fault of call === "writeSync" ? [...faults, "killHalf" as const] : faults) {
        const outcome = await bench.run(index + 1, fault);
        if (outcome.hit) hits[fault]++;
        await bench.inspect(outcome.acknowledged, `${fault} ${index + 1} ${call}`);
      }
    }
    const writes = bench.calls.filter((call) => call === "writeSync").length;
    expect(hits).toEqual({ killBefore: bench.calls.length, killHalf: writes, killAfter: 1 });
    expect(writes).toBeGreaterThanOrEqual(3); // lock, record, anchor
    expect(bench.outcomes).toEqual(new Set(["before", "after"]));
  });

  test("keeps acknowledged records after a power cut", async () => {
    const bench = await createBench(scenario);
    for (let at = 1; at <= bench.calls.length; at++) {
      for (const left of ["nothing", "half", "zeros"] as const) {
        const outcome = await bench.run(at, "killBefore", left);
        expect(outcome.hit).toBe(true);
        await bench.inspect(outcome.acknowledged, `power cut at ${at}, ${left} left`);
      }
    }
    expect(bench.outcomes).toEqual(new Set(["before", "after"]));
  });

  test("reports or tolerates a failed call and continues in the same process", async () => {
    const bench = await createBench(scenario);
    let failed = 0;
    let hits = 0;
    for (const [index, call] of bench.calls.entries()) {
      for (const fault of listCallErrors(call)) {
        const when = `${fault} ${index + 1} ${call}`;
        const outcome = await bench.run(index + 1, fault);
        expect(outcome.hit, when).toBe(true);
        hits++;
        if (outcome.error !== null) {
          failed++;
          expect(outcome.error, when).toBeInstanceOf(ProblemError);
          expect(fault, "a short write is no failure").not.toBe("shortWrite");
        }
        await bench.continueRun(outcome, when);
        await bench.inspect(false, when);
      }
    }
    expect(hits).toBeGreaterThan(bench.calls.length);
    expect(failed).toBeGreaterThan(10);
  });
});

/** Errors that the system may return for a call. Only writing calls fail on a full or read-only disk. */
function listCallErrors(call: string): readonly Fault[] {
  if (call === "writeSync") return ["EIO", "ENOSPC", "EROFS", "shortWrite"];
  return CHANGES.has(call) ? ["EIO", "ENOSPC", "EROFS"] : ["EIO"];
}

const CHANGES = new Set([
  "openSync",
  "linkSync",
  "renameSync",
  "unlinkSync",
  "mkdirSync",
  "ftruncateSync",
  "fdatasyncSync",
]);

type Outcome = {
  readonly hit: boolean;
  readonly acknowledged: boolean;
  readonly error: unknown;
  readonly journal: FileJournal;
};

/** Repeats one scenario from the same initial state. */
async function createBench(scenario: Scenario) {
  const tree = treeIn(join(base, "now"));
  const template = join(base, "template");
  rmSync(join(base, "now"), { recursive: true, force: true });
  treeIn(join(base, "now"));
  await scenario.prepare(tree);
  rmSync(template, { recursive: true, force: true });
  cpSync(join(base, "now"), template, { recursive: true });
  const outcomes = new Set<string>();
  let wentOn = false;

  const run = async (at: number, fault: Fault, cut?: PowerCut): Promise<Outcome & { calls: readonly string[] }> => {
    rmSync(join(base, "now"), { recursive: true, force: true });
    cpSync(template, join(base, "now"), { recursive: true });
    wentOn = false;
    const faulty = createFaultFiles(at, fault, hastyFiles);
    const self = createFakeProcesses();
    const journal = openTreeJournal(tree, { files: faulty.files, processes: self.processes });
    let acknowledged = false;
    let error: unknown = null;
    try {
      acknowledged = (await scenario.act(journal)).ok;
    } catch (thrown) {
      error = thrown;
      if (fault.startsWith("kill")) expect(thrown).toBeInstanceOf(Killed);
    }
    if (cut !== undefined) faulty.cutPower(cut);
    if (fault.startsWith("kill")) self.die();
    return { hit: faulty.hit(), acknowledged, error, journal, calls: faulty.calls };
  };

  const view = (journal: FileJournal): string => {
    const newest = journal.newest();
    return newest === null ? "none" : `${newest} ${lastMark(journal.load(newest).state)}`;
  };

  /** Checks the state that a new process reads, that it can continue, and that it leaves no temporary file. */
  const inspect = async (acknowledged: boolean, when: string): Promise<void> => {
    const self = createFakeProcesses();
    const journal = openTreeJournal(tree, { files: hastyFiles, processes: self.processes });
    if (!wentOn) {
      const found = view(journal);
      expect(acknowledged ? [scenario.after] : [scenario.before, scenario.after], when).toContain(found);
      outcomes.add(found === scenario.after ? "after" : "before");
    }
    await workOn(journal, when);
    journal.close();
    self.die();
    const litter = namesBelow(base).filter((name) => name.startsWith("now") && !EXPECTED.test(name));
    expect(litter, when).toEqual([]);
  };

  /** The process that got the error also reads the true state and continues. */
  const continueRun = async ({ journal, acknowledged }: Outcome, when: string): Promise<void> => {
    expect(acknowledged ? [scenario.after] : [scenario.before, scenario.after], when).toContain(view(journal));
    await workOn(journal, when);
    journal.close();
    wentOn = true;
  };

  const { calls } = await run(0, "killBefore");
  return { calls, run, inspect, continueRun, outcomes };
}

/** Performs the user's next action. */
async function workOn(journal: FileJournal, when: string): Promise<void> {
  const newest = journal.newest();
  const open = newest !== null && journal.load(newest).state.is === "active";
  const run = `20270101-101500123-${String(++started).padStart(4, "0")}`;
  const next = open ? await journal.submit(newest, mark("next")) : await journal.create(run, begin(run));
  expect(next.ok, when).toBe(true);
}

let started = 0;

const EXPECTED =
  /^now(\/tree(\/\.isdlc(\/journal(\/ended)?(\/[0-9]+-[0-9]+-[a-z0-9]{4}\.(jsonl|snap|torn))?)?)?|\/user(\/[0-9a-f]{64}\.(json|head))?)?$/;

function deadHolder(token: string): string {
  return JSON.stringify({ token, pid: Number(token.split("-")[0]), started: "1", boot: "boot", host: hostname() });
}

async function prepared(
  tree: Tree,
  [first, ...decisions]: readonly [typeof begin, ...Parameters<FileJournal["submit"]>[1][]],
) {
  mkdirSync(tree.root, { recursive: true });
  const self = createFakeProcesses();
  const journal = openTreeJournal(tree, { files: hastyFiles, processes: self.processes });
  await journal.create(RUN, first(RUN));
  for (const decide of decisions) await journal.submit(RUN, decide);
  journal.close();
  self.die();
}
