import { existsSync, lstatSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  deleteMergedBranch,
  keepThenDelete,
  mergeWorktreeBranch,
} from "../../../../src/adapters/git/worktree/worktree-branch.ts";
import { createWorktree } from "../../../../src/adapters/git/worktree/worktree-create.ts";
import { removeWorktree } from "../../../../src/adapters/git/worktree/worktree-remove.ts";
import { worktreeState } from "../../../../src/adapters/git/worktree/worktree-state.ts";
import type { RemoveRequest } from "../../../../src/ports/worktrees.ts";
import {
  around,
  replaceFolder,
  contentsBelow,
  createWorld,
  inTree,
  makeRepository,
  reachable,
  type World,
} from "../../../worktrees/person.ts";
import { agreeing } from "../../../git/repository-fixture.ts";
import { mergeRequest } from "../../../git/write-requests.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

type Outcome = { readonly ok: true } | { readonly ok: false; readonly why: string };
type Step = {
  readonly world: World;
  readonly slot: number;
  readonly number: number;
  readonly note: (name: string, outcome: Outcome) => void;
};
/** Contents that the user agreed to lose. */
type Ours = (step: Step) => Promise<ReadonlySet<string>>;

const nothing: ReadonlySet<string> = new Set();

async function create({ world, slot, note }: Step): Promise<ReadonlySet<string>> {
  const request = { branch: world.branch(slot), path: `../repo-${slot}`, base: "main" };
  note("create", await createWorktree(world.repo, request, agreeing));
  return nothing;
}

async function createOddly({ world, slot, number, note }: Step): Promise<ReadonlySet<string>> {
  const odd = [{ path: "../-rf" }, { path: "inside" }, { branch: "-b" }, { base: "gone" }, { path: "../link/x" }];
  const request = { branch: world.branch(slot), path: `../repo-${slot}`, base: "main" };
  note("create", await createWorktree(world.repo, { ...request, ...odd[number % odd.length] }, agreeing));
  return nothing;
}

async function merge({ world, slot, note }: Step): Promise<ReadonlySet<string>> {
  note(
    "merge",
    await mergeWorktreeBranch(
      world.repo,
      mergeRequest({ git: (...args) => world.git(world.repo, ...args).trim() || "0".repeat(40) }, world.branch(slot)),
      agreeing,
    ),
  );
  return nothing;
}

/** Removes like a user would: with or without consent, from outside or inside the worktree. */
async function remove(step: Step, changes: Partial<RemoveRequest> = {}): Promise<ReadonlySet<string>> {
  const { world, slot, number, note } = step;
  const path = world.tree(slot);
  const isAgreed = number % 2 === 0;
  const agreedToLose = isAgreed ? ((await worktreeState(path, "main", process.env))?.ignored ?? []) : [];
  const agreed = new Set(agreedToLose.flatMap((name) => [...contentsBelow(join(path, name))]));
  const cwd = number % 10 === 9 ? path : world.repo;
  const outcome = await removeWorktree(world.repo, { path, base: "main", cwd, agreedToLose, ...changes }, process.env);
  note("remove", outcome);
  expect(lstatSync(path, { throwIfNoEntry: false }) === undefined || !outcome.ok).toBe(true);
  return outcome.ok ? agreed : nothing;
}

async function deleteMerged({ world, slot, note }: Step): Promise<ReadonlySet<string>> {
  note("delete", await deleteMergedBranch(world.repo, { branch: world.branch(slot), base: "main" }, agreeing));
  return nothing;
}

/** Removes the worktree and keeps its branch. */
const leave: Ours = (step) => remove(step, { unmerged: "stayOnBranch" });

async function discard(step: Step): Promise<ReadonlySet<string>> {
  const agreed = await leave(step);
  step.note("discard", await keepThenDelete(step.world.repo, step.world.branch(step.slot), agreeing));
  return agreed;
}

async function finish(step: Step): Promise<ReadonlySet<string>> {
  await merge(step);
  const agreed = await remove(step);
  await deleteMerged(step);
  return agreed;
}

const ours: Readonly<Record<string, Ours>> = {
  create,
  createOddly,
  merge,
  remove,
  leave,
  deleteMerged,
  discard,
  finish,
};

/** Every possible answer in one repository. Answers about the repository itself have other tables. */
const EXPECTED = [
  ..."ok pathTaken cutOff insideTree branchElsewhere branchTaken badName notBeside badBranch noBase parentIsLink gitRefused"
    .split(" ")
    .map((why) => `create ${why}`),
  ..."ok locked operation submodules nested uncommitted runOpen ignoredFiles unmerged insideIt isLink notOurs"
    .split(" ")
    .map((why) => `remove ${why}`),
  ..."ok uncommitted conflict mainElsewhere gitRefused noBranch".split(" ").map((why) => `merge ${why}`),
  ..."ok unmerged checkedOut noBranch".split(" ").map((why) => `delete ${why}`),
  ..."ok checkedOut noBranch".split(" ").map((why) => `discard ${why}`),
];

type Command = { readonly name: string; readonly slot: number; readonly number: number };

const number = fc.nat({ max: 99 });
const slot = fc.constantFrom(0, 0, 0, 0, 1);
const acts = fc.record({ name: fc.constantFrom(...Object.keys(inTree), ...Object.keys(around)), slot, number });
const calls = fc.record({ name: fc.constantFrom(...Object.keys(ours)), slot, number });
const episode = fc.tuple(fc.array(acts, { maxLength: 3 }), calls).map(([before, call]) => [...before, call]);
const commands = fc.array(episode, { minLength: 1, maxLength: 4 }).map((episodes) => episodes.flat());

/** Sequences that random generation rarely reaches. `remove 1 9` means the second worktree with the number 9. */
const ways = [
  "outerRepository, create 1",
  "takeOtherBranch, create 1",
  "branchFor 1, commitInMain, create 1",
  "branchInTheWay 1, create 1",
  "lockAsCutOff, create",
  "occupy 1, create 1",
  "replaceByLink, remove, putBack, remove, remove",
  "lock, remove",
  "edit, remove, discard",
  "ignored, remove, remove 0 9",
  "discard, discard, merge 1, deleteMerged 1",
  "submodule, remove",
  "nestTree, remove",
  "nestRepository, remove",
  "editHidden, remove",
  "stageThenTakeBack, remove",
  "commit, amend, rewind, discard",
  "bisect, remove",
  "openRun, remove, endRun, remove",
  "commit, remove, discard",
  "commit, commitInMain, merge",
  "commit, merge, edit, merge, finish",
  "commit, editInMain, merge",
  "leaveMain, merge",
  "commit, leave, deleteMerged",
  "stage, remove",
  "ignored, ownFile, finish",
  "createOddly, createOddly, createOddly, createOddly, createOddly",
].map((way): [Command[]] => [way.split(", ").map((text, index) => toCommand(text, index))]);

function toCommand(text: string, index: number): Command {
  const [name = "", which = "0", chosen = index] = text.split(" ");
  return { name, slot: Number(which), number: Number(chosen) };
}

function act(world: World, name: string, at: number): void {
  const tree = world.tree(at);
  const isThere = existsSync(join(tree, ".git"));
  if (isThere) inTree[name]?.(world, tree, at);
  around[name]?.(world, tree, at);
}

/** One world in memory and a copy of its initial state: a repository with its first linked worktree. */
async function makeWorld() {
  const parent = realpathSync(mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "isdlc-lost-")));
  vi.stubEnv("HOME", parent);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    removeTemporary(parent);
  });
  const [base, template] = [join(parent, "world"), join(parent, "template")];
  makeRepository(createWorld(base));
  await create({ world: createWorld(base), slot: 0, number: 0, note: () => {} });
  replaceFolder(base, template);
  return { base, template };
}

test("loses no user content in any sequence of worktree commands [AC15, AC16]", async () => {
  const { base, template } = await makeWorld();
  const visited = new Set<string>();
  const note = (name: string, outcome: Outcome) => void visited.add(`${name} ${outcome.ok ? "ok" : outcome.why}`);
  await fc.assert(
    fc.asyncProperty(commands, async (chosen: readonly Command[]) => {
      const world = createWorld(base);
      replaceFolder(template, base);
      for (const { name, ...rest } of chosen) {
        const call = ours[name];
        if (call === undefined) {
          act(world, name, rest.slot);
          continue;
        }
        const before = reachable(world);
        const agreed = await call({ world, ...rest, note });
        const after = reachable(world);
        expect([...before].filter((content) => !after.has(content) && !agreed.has(content))).toEqual([]);
      }
    }),
    { numRuns: ways.length + 20, seed: 20_261_115, examples: ways },
  );
  expect(EXPECTED.filter((answer) => !visited.has(answer))).toEqual([]);
}, 180_000);
