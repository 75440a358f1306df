import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scene, useMergeScene } from "../../../team/merge-fixture.ts";
import { checkFaults, checkStorm, checkTakeovers, type DecisionRow, type Evidence } from "./check-storm.mjs";

const RUN = "20261120-100000000-abcd";
const ADA = { name: "ada", channel: "token" };
const ANSWER = { run: RUN, wait: "gate:1@4", kind: "gate", option: "continue", by: "ada" };

type DecisionRecord = { readonly sender: string; readonly events: readonly object[] };

const recorded = (sender: string, ...events: readonly object[]): DecisionRecord => ({ sender, events });

/** Lines as the server writes them, chained by their hashes. */
function writeLines(run: string, decisions: readonly DecisionRecord[]): DecisionRow[] {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  let hash = sha256(`isdlc journal ${run}`);
  let seq = 1;
  return decisions.map(({ sender, events }) => {
    const body = JSON.stringify({ seq, at: "", v: 1, events });
    hash = sha256(`${hash}\n${body}`);
    const row = { run, seq, line: `${body.slice(0, -1)},"h":"${hash}","m":"mark"}`, sender_kind: sender, sender };
    seq += events.length;
    return row;
  });
}

describe("checker of the storm", () => {
  useMergeScene();
  let merged: string;
  let pushed: string;
  beforeEach(() => {
    const before = scene.tip("main");
    const work = scene.forceFile("work", before, "made.js");
    const tree = scene.git("remote.git", "rev-parse", `${work}^{tree}`);
    const message = `Merge work\n\nIsdlc-Run: ${RUN}\n`;
    merged = scene.git("remote.git", "commit-tree", tree, "-p", before, "-p", work, "-m", message);
    scene.git("remote.git", "update-ref", "refs/heads/main", merged);
    pushed = scene.pushFile("main", "theirs.txt") ?? "";
  });
  const opened = recorded("worker", { type: "run.started" }, { type: "gate.opened" });
  const answered = recorded("person", { type: "gate.answered", wait: ANSWER.wait, choice: "continue", by: ADA });
  const accepted = recorded("worker", { type: "phase.accepted", by: ADA }, { type: "finish.asked" });
  const chosen = recorded("person", { type: "finish.chosen", how: "merge", by: ADA });
  const finished = () => recorded("server", { type: "run.finished", how: "merge", merged });
  const claimed = recorded("worker", { type: "execution.started", claim: { execution: "e1" } });
  const ended = recorded("worker", { type: "execution.ended", execution: "e1" });
  const evidenceOf = (decisions: readonly DecisionRecord[], more: Partial<Evidence> = {}): Evidence => ({
    runs: [RUN],
    decisions: writeLines(RUN, decisions),
    answers: [ANSWER, { ...ANSWER, wait: "finish:1@7", kind: "finish", option: "merge" }],
    pushes: [pushed],
    leftovers: [],
    ...more,
  });
  const check = (evidence: Evidence): string[] => checkStorm(scene.remote, evidence);

  test("accepts a run with an answer, an accepted phase and a merge", () => {
    expect(check(evidenceOf([opened, answered, accepted, chosen, finished()]))).toEqual([]);
  });

  test("reports a lost commit of a user and a lost merge", () => {
    scene.git("remote.git", "update-ref", "refs/heads/main", `${merged}^`);
    expect(check(evidenceOf([opened, answered, accepted, chosen, finished()]))).toEqual([
      `lost: the pushed commit ${pushed} is not on main`,
      `lost: the merge ${merged} of ${RUN} is not on main`,
    ]);
  });

  test.each<[string, () => Evidence, RegExp]>([
    [
      "an answer recorded twice",
      () => evidenceOf([opened, answered, answered, accepted, chosen, finished()]),
      /^doubled: .* two answers/,
    ],
    [
      "an answer acknowledged twice",
      () => evidenceOf([opened, answered, accepted, chosen, finished()], { answers: [ANSWER, ANSWER] }),
      /^doubled: two answers/,
    ],
    [
      "an acknowledged answer that is not recorded",
      () => evidenceOf([opened, accepted, chosen, finished()]),
      /^lost: the answer "continue"/,
    ],
    [
      "an unrecorded answer at the end",
      () =>
        evidenceOf([
          opened,
          answered,
          accepted,
          recorded("worker", { type: "finish.chosen", how: "merge", by: "engine" }),
          finished(),
        ]),
      /^lost: 1 answers at the end/,
    ],
    [
      "an answer recorded by a worker",
      () => evidenceOf([opened, { ...answered, sender: "worker" }, accepted, chosen, finished()]),
      /^lost: the answer/,
    ],
    [
      "a phase without an answer",
      () => evidenceOf([opened, accepted, chosen, finished()], { answers: [] }),
      /^skipped: a phase/,
    ],
    [
      "a merge without an answer",
      () => evidenceOf([opened, answered, accepted, finished()]),
      /^skipped: .* was merged/,
    ],
    ["a run that has not ended", () => evidenceOf([opened, answered, accepted, chosen]), /^stuck: /],
    [
      "a run without a record",
      () => evidenceOf([opened, answered, accepted, chosen, finished()], { runs: [RUN, "other"] }),
      /^stuck: other/,
    ],
    [
      "a run that continued after its end",
      () => evidenceOf([opened, answered, accepted, chosen, finished(), finished()]),
      /^doubled: .* ended 2 times/,
    ],
    [
      "a merge that is not recorded",
      () =>
        evidenceOf([
          opened,
          answered,
          accepted,
          chosen,
          recorded("server", { type: "run.finished", how: "merge", merged: null }),
        ]),
      /^doubled: the merge/,
    ],
    [
      "an agent's execution that has no end",
      () => evidenceOf([opened, claimed, answered, accepted, chosen, finished()]),
      /^doubled: the execution e1 .* started 1 times and ended 0 times/,
    ],
    [
      "an agent's execution that ended twice",
      () => evidenceOf([opened, claimed, ended, ended, answered, accepted, chosen, finished()]),
      /^doubled: the execution e1 .* started 1 times and ended 2 times/,
    ],
    [
      "a leftover process",
      () => evidenceOf([opened, answered, accepted, chosen, finished()], { leftovers: ["process 7"] }),
      /^left behind: process 7/,
    ],
  ])("reports %s", (_, evidence, problem) => {
    expect(check(evidence())).toContainEqual(expect.stringMatching(problem));
  });

  test("reports a changed line and a missing one", () => {
    const { decisions, ...rest } = evidenceOf([opened, answered, accepted, chosen, finished()]);
    const changed = decisions.map((row) => ({ ...row, line: row.line.replace('"continue"', '"redo"') }));
    expect(check({ ...rest, decisions: changed })).toContainEqual(expect.stringMatching(/chain is broken/));
    expect(check({ ...rest, decisions: decisions.filter(({ seq }) => seq !== 3) })).toContainEqual(
      expect.stringMatching(/a gap or a double/),
    );
  });

  test("reports a run merged twice", () => {
    const again = scene.git(
      "remote.git",
      "commit-tree",
      `${pushed}^{tree}`,
      "-p",
      pushed,
      "-m",
      `Again\n\nIsdlc-Run: ${RUN}`,
    );
    scene.git("remote.git", "update-ref", "refs/heads/main", again);
    expect(check(evidenceOf([opened, answered, accepted, chosen, finished()]))).toContain(
      `doubled: ${RUN} was merged twice`,
    );
  });

  test("reports a git lock left at the remote", () => {
    writeFileSync(join(scene.remote, "packed-refs.lock"), "");
    expect(check(evidenceOf([opened, answered, accepted, chosen, finished()]))).toEqual([
      expect.stringMatching(/packed-refs\.lock$/),
    ]);
  });

  test("accepts an execution with one end", () => {
    expect(check(evidenceOf([opened, claimed, ended, answered, accepted, chosen, finished()]))).toEqual([]);
  });

  test("reports an attempt that is on main twice", () => {
    const message = `Phase\n\nIsdlc-Attempt: ${RUN}/01-change/1\n`;
    let tip = pushed;
    for (let times = 0; times < 2; times++)
      tip = scene.git("remote.git", "commit-tree", `${pushed}^{tree}`, "-p", tip, "-m", message);
    scene.git("remote.git", "update-ref", "refs/heads/main", tip);
    expect(check(evidenceOf([opened, answered, accepted, chosen, finished()]))).toEqual([
      `doubled: ${RUN}/01-change/1 is on main twice`,
    ]);
  });
});

describe("checker of faults and takeovers", () => {
  test("reports a kind of fault that hit too few processes", () => {
    expect(checkFaults({ wanted: { kill: 2, sleep: 1 }, hits: { kill: 1, sleep: 1 } })).toEqual([
      "faults: kill hit a process with a lease 1 times, not 2",
    ]);
    expect(checkFaults({ wanted: { kill: 2 }, hits: {} })).toHaveLength(1);
    expect(checkFaults({ wanted: { kill: 2 }, hits: { kill: 2 } })).toEqual([]);
  });

  test("reports slow takeovers at p99, and too few of them", () => {
    const quick = Array.from({ length: 199 }, () => 3000);
    expect(checkTakeovers({ took: [...quick, 60_000], most: 8000, atLeast: 100 })).toEqual([]);
    expect(checkTakeovers({ took: [...quick, 9000, 9001, 60_000], most: 8000, atLeast: 100 })).toEqual([
      "takeovers: p99 of 202 is 9000 ms, more than 8000 ms",
    ]);
    expect(checkTakeovers({ took: [3000], most: 8000, atLeast: 2 })).toEqual(["takeovers: 1 were measured, not 2"]);
    expect(checkTakeovers({ took: [], most: 8000, atLeast: 1 })).toHaveLength(1);
  });
});
