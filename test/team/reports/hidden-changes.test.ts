import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Command, Outcome, Report } from "../../../src/core/command.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { type ActiveRun, currentPhase, noRun, type PhaseRecord, type RunState } from "../../../src/core/run.ts";
import type { EventDraft, RunEvent } from "../../../src/schema/event.ts";
import type { RepositoryCopy } from "../../../team/src/copies/repository-copies.ts";
import { admitReport } from "../../../team/src/reports/admit-report.ts";
import { compareTrees } from "../../../team/src/reports/compare-trees.ts";
import { toReport } from "../../../team/src/reports/start-facts.ts";
import { scene, useMergeScene } from "../merge-fixture.ts";
import { answerTo, honestReport, RUN, createStart, findWait } from "./honest-worker.ts";

const ASKED = {
  start: { what: "run", workflow: "change", title: "a", isSupervised: false, choices: [] },
  policy: { isFourEyes: true, isSigned: false, phases: [] },
  settings: { is: "absent" },
} as const;

/** Trees that a worker reports: the first before the work of `implement`, the second after it. */
type Trees = { readonly before: string; readonly after: string; readonly evil: string };
type Forge = (outcome: Outcome, trees: Trees, phase: string) => Outcome;

let copy: RepositoryCopy;
let trees: Trees;
useMergeScene();
beforeEach(async () => {
  copy = await scene.openCopy();
  const evil = { "evil.js": "steal()\n" };
  trees = {
    before: pushTree({}),
    after: pushTree({ "made.js": "1\n" }),
    evil: pushTree({ "made.js": "1\n", ...evil }),
  };
});

/** Pushes a tree with the files of main and these changes, as a worker pushes its snapshots. Null deletes a file. */
function pushTree(files: Readonly<Record<string, string | null>>, isPushed = true): string {
  scene.git("clone", "checkout", "--quiet", "--force", "--detach", "origin/main");
  for (const [path, content] of Object.entries(files)) {
    const file = join(scene.folder, "clone", path);
    mkdirSync(dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else writeFileSync(file, content);
  }
  scene.git("clone", "add", "--all");
  const tree = scene.git("clone", "write-tree");
  if (isPushed) scene.git("clone", "push", "--quiet", "origin", `${tree}:refs/isdlc/${RUN}/${tree}`);
  scene.git("clone", "reset", "--quiet", "--hard", "origin/main");
  return tree;
}

const honest: Forge = (outcome, { before, after }, phase) => {
  if ("failed" in outcome) return outcome;
  const tree = phase === "plan" ? before : after;
  if (outcome.of === "enter") return { ...outcome, commit: tip(), tree: phase === "final-review" ? after : before };
  if (outcome.of === "complete") {
    const { proposedCommit: _, ...made } = outcome.made;
    return { ...outcome, made: { ...made, tree, commitTree: tree } };
  }
  return outcome;
};

const tip = (): string => scene.tip("main");

type Ended = { readonly run: ActiveRun; readonly phase: PhaseRecord };

type Drive = {
  /** Gates of the phase before the driving ends; the others are answered. */
  readonly gates?: number;
  /** Commit from which a user started the run, before it was brought. */
  readonly brought?: string;
};

/** Drives a run with the reports of a worker until a gate opens in a phase. */
async function driveToGate(key: string, forge: Forge, { gates = 1, brought }: Drive = {}): Promise<Ended> {
  let opened = 0;
  let state: RunState = noRun;
  const events: RunEvent[] = [];
  const apply = (drafts: readonly EventDraft[]): void => {
    for (const draft of drafts) {
      const event = { ...draft, seq: events.length + 1, at: "2026-11-16T10:00:00.000Z" } as RunEvent; // a draft with its number
      events.push(event);
      state = evolve(state, event);
    }
  };
  apply(startEvents(brought));
  for (let step = 0; step < 100; step++) {
    const run: RunState = state;
    if (run.is !== "active") break;
    const wait = findWait(run);
    const phase = phaseOf(run);
    if (wait?.kind === "gate" && phase.rule.key === key && ++opened === gates) return { run, phase };
    const command = wait === null ? await reported(run, { forge, phase, events }) : answerTo(run, wait);
    apply(eventsOf(run, command));
  }
  throw new Error("no gate opened");
}

function phaseOf(run: ActiveRun): PhaseRecord {
  const phase = currentPhase(run);
  if (phase === undefined) throw new Error("all phases ended");
  return phase;
}

function eventsOf(run: RunState, command: Command): readonly EventDraft[] {
  const decision = decide(run, command);
  if (!decision.ok) throw new Error(JSON.stringify(decision.refusal));
  return decision.events;
}

/** The first event of a run; for a brought one also the event that applies the team's rules. */
function startEvents(brought: string | undefined): readonly EventDraft[] {
  const start = createStart({ ...ASKED, start: { ...ASKED.start, choices: [] } });
  const git = { branch: "change/a", base: "main", commit: brought ?? tip() };
  const events = eventsOf(noRun, { ...start, facts: { ...start.facts, item: `.isdlc/work/${RUN}`, git } });
  if (brought === undefined) return events;
  const { supervision } = start.facts;
  const options = { finish: "ask", sizing: "ask", redTests: "ask" } as const;
  return [...events, { type: "run.broughtIn", by: "eve", from: 1, to: events.length, options, supervision, gates: [] }];
}

type Reporting = { readonly forge: Forge; readonly phase: PhaseRecord; readonly events: readonly RunEvent[] };

async function reported(run: ActiveRun, { forge, phase, events }: Reporting): Promise<Report> {
  const report = honestReport(run);
  const forged = { ...report, outcome: forge(report.outcome, trees, phase.rule.key) };
  const admitted = admitReport(run, toReport(forged));
  return compareTrees(run, admitted, { copy, events: () => Promise.resolve(events) });
}

/** Changes fields of the outcome of a step. */
const forging =
  (of: "enter" | "complete", change: (trees: Trees, phase: string) => object): Forge =>
  (outcome, pushed, phase) => {
    const made = honest(outcome, pushed, phase);
    if (made.of !== of || "failed" in made) return made;
    const changed = change(pushed, phase);
    return made.of === "complete" ? { ...made, made: { ...made.made, ...changed } } : { ...made, ...changed };
  };

const both =
  (one: Forge, other: Forge): Forge =>
  (outcome, pushed, phase) =>
    outcome.of === "enter" ? one(outcome, pushed, phase) : other(outcome, pushed, phase);

const basesAt = (tree: string) => ({ entered: tree, own: tree, start: tree, gate: tree, commit: tree });

describe("worker that reports trees of a gate [S7]", () => {
  test.for(["plan", "final-review"])("opens the gate of %s without hidden changes if it is honest", async (key) => {
    const { phase } = await driveToGate(key, honest);
    expect(phase.made?.unshown).toBeUndefined();
    expect(phase.made?.notices).toEqual([]);
  });

  test.for<[string, string, Forge, string[]]>([
    [
      "claims that a file existed before the run",
      "plan",
      both(
        forging("enter", ({ evil }) => ({ tree: evil })),
        forging("complete", ({ evil }) => ({ tree: evil, commitTree: evil })),
      ),
      ["evil.js", "made.js"],
    ],
    ["commits a file missing in the displayed tree", "implement", commitsOther(() => trees.evil), ["evil.js"]],
    [
      "omits a file of the displayed tree from the commit",
      "implement",
      commitsOther(() => pushTree({ "made.js": "1\n", "README.md": null })),
      ["README.md"],
    ],
    [
      "commits other content than displayed at the end of the run",
      "implement",
      forging("complete", ({ evil, after }, phase) =>
        phase === "implement"
          ? { commitTree: undefined, wholeTree: evil }
          : { commitTree: undefined, wholeTree: after },
      ),
      ["evil.js"],
    ],
    [
      "claims that half of a change existed before",
      "plan",
      halfBefore("readme\nhalf\n", "readme\nhalf\nevil\n"),
      ["README.md"],
    ],
    ["claims that a deleted file was missing before", "plan", halfBefore(null, null), ["README.md"]],
    [
      "claims that a return starts from its own tree",
      "implement",
      both(
        forging("enter", ({ evil }, phase) => (phase === "implement" ? { bases: basesAt(evil) } : {})),
        forging("complete", ({ evil }, phase) => (phase === "implement" ? { tree: evil, commitTree: evil } : {})),
      ),
      ["evil.js", "made.js"],
    ],
  ])("%s and opens the gate of %s with a notice", async ([, key, forge, hidden]) => {
    const { phase } = await driveToGate(key, forge);
    expect(phase.made?.unshown).toEqual(hidden);
    for (const path of hidden) expect(phase.made?.notices?.join("\n")).toContain(`not in the diff: ${path}`);
  });

  test("cannot hide changed files from the server's list at the gate", async () => {
    const { phase } = await driveToGate(
      "final-review",
      forging("complete", () => ({ changed: [], changedSinceSeen: [], unexpected: [] })),
    );
    expect(phase.made?.changedSinceSeen).toEqual([{ path: "made.js", change: "added" }]);
    const { phase: planned } = await driveToGate(
      "plan",
      forging("complete", ({ after }) => ({ tree: after, commitTree: after, changed: [], unexpected: [] })),
    );
    expect(planned.made).toMatchObject({
      changed: [{ path: "made.js", change: "added" }],
      unexpected: expect.arrayContaining(["made.js"]),
    });
  });

  test.for<[string, () => object]>([
    ["a displayed tree missing at the remote", () => ({ tree: pushTree({ "x.js": "x\n" }, false) })],
    ["a commit missing at the remote", () => ({ commitTree: pushTree({ "y.js": "y\n" }, false) })],
    ["a commit without a displayed tree", () => ({ tree: null })],
    ["a displayed tree that is not an object id", () => ({ tree: "main" })],
    ["a proposed commit with another tree", () => ({ proposedCommit: tip() })],
    [
      "a proposed commit on another parent",
      () => {
        const commit = scene.forceFile("change/other", tip(), "made.js");
        return { proposedCommit: commit, commitTree: scene.git("remote.git", "rev-parse", `${commit}^{tree}`) };
      },
    ],
    ["a proposed commit missing at the remote", () => ({ proposedCommit: "b".repeat(40) })],
  ])("is refused if it names %s", async ([, change]) => {
    const refused = expect.objectContaining({ problem: expect.objectContaining({ code: "NOT_ALLOWED" }) });
    await expect(driveToGate("plan", forging("complete", change))).rejects.toEqual(refused);
  });

  test("is compared in full although an earlier fetch left a tree without its folder", async () => {
    const after = pushTree({ "made.js": "1\n", "src/deep/made.js": "2\n" });
    const object = join("objects", after.slice(0, 2), after.slice(2));
    mkdirSync(dirname(join(copy.folder, object)), { recursive: true });
    cpSync(join(scene.folder, "clone", ".git", object), join(copy.folder, object));
    const forge: Forge = (outcome, pushed, phase) => honest(outcome, { ...pushed, after }, phase);
    const { phase } = await driveToGate("final-review", forge);
    expect(phase.made?.unshown).toBeUndefined();
    expect(phase.made?.changedSinceSeen).toEqual([
      { path: "made.js", change: "added" },
      { path: "src/deep/made.js", change: "added" },
    ]);
  });

  test("reopens the gate with a notice if it changes the commit after Continue", async () => {
    const results = [{ name: "unseen", ok: false, detail: "a file changed" }];
    const forge: Forge = (outcome, pushed, key) => {
      const made = honest(outcome, pushed, key);
      if (made.of !== "recheck" || "failed" in made) return made;
      return { ...made, tree: pushed.before, commitTree: pushed.evil, results };
    };
    const { phase } = await driveToGate("plan", forge, { gates: 2 });
    expect(phase.made?.commitTree).toBe(trees.evil);
    expect(phase.made?.notices?.join("\n")).toContain("not in the diff: evil.js");
  });
});

describe("run brought by a user [S7]", () => {
  test("lists changes of its start commit at the gate if the base lacks it", async () => {
    const foreign = scene.forceFile("change/a", tip(), "evil.js");
    const tree = scene.git("remote.git", "rev-parse", `${foreign}^{tree}`);
    const from: Forge = (outcome, pushed, phase) => honest(outcome, { ...pushed, before: tree, after: tree }, phase);
    scene.git("clone", "push", "--quiet", "origin", `${tree}:refs/isdlc/${RUN}/${tree}`);
    scene.git("clone", "push", "--quiet", "origin", `${foreign}:refs/isdlc/${RUN}/${foreign}`);
    const { phase } = await driveToGate("plan", from, { brought: foreign });
    expect(phase.made?.unshown).toEqual(["evil.js"]);
  });
});

/** Reports another committed tree for the work of the phase `implement`. */
function commitsOther(tree: () => string): Forge {
  return forging("complete", (_, phase) => (phase === "implement" ? { commitTree: tree() } : {}));
}

/** Says that README.md had some content before the phase, and has other content after it. */
function halfBefore(before: string | null, after: string | null): Forge {
  return both(
    forging("enter", () => ({ tree: pushTree({ "README.md": before }) })),
    forging("complete", () => {
      const tree = pushTree({ "README.md": after });
      return { tree, commitTree: tree };
    }),
  );
}
