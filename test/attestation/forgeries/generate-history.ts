import type { RunStatement } from "../../../src/schema/attestation.ts";
import type { Dice } from "../../support/dice.ts";
import {
  type CaseModel,
  type KeyName,
  type LineModel,
  type RunModel,
  type StateModel,
  statementOf,
} from "./case-model.ts";
import { type LandedRun, landingLine, landingOf } from "./landing-model.ts";
import { BREACHES, mutatePolicy, mutateStatement, type RuleBreach } from "./mutations.ts";
import { COMMIT_TIME, createRepositoryModel, type Files, type RepositoryModel } from "./repository-model.ts";
import { ancestors, mergeFiles } from "./simple-merge.ts";

const BACKLOG = "# Backlog\n\n- 1.1 [ ] First\n- 1.2 [ ] Second\n";
const AGENT = "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>";

/** A history under construction. */
type Draft = {
  readonly dice: Dice;
  readonly repository: RepositoryModel;
  /** Branch to verify; `base` stays at the start of the range. */
  main: string;
  base: string;
  readonly runs: { readonly model: RunModel; readonly tip: string }[];
  readonly landed: LandedRun[];
  readonly missing: Set<string>;
  /** Rule that an otherwise honest history breaks. */
  readonly breach: RuleBreach | null;
  counter: number;
};

/** One case of a series: an honest history, changed in none, one or two places. */
export function generateHistory(dice: Dice, name: string): CaseModel {
  const breach = dice.chance(20) ? dice.of(BREACHES) : null;
  const repository = createRepositoryModel(dice.chance(20) ? 64 : 40);
  const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "BACKLOG.md": BACKLOG };
  const root = repository.commit({ parents: [], files, message: "Start" });
  const draft: Draft = {
    dice,
    repository,
    main: root,
    base: root,
    runs: [],
    landed: [],
    missing: new Set(),
    breach,
    counter: 0,
  };
  if (dice.chance(40)) draft.main = addMain(draft, "b.txt");
  const start = draft.main;
  const number = dice.chance(30) ? 2 : 1;
  for (let index = 0; index < number; index++) addRun(draft, start, index);
  landRuns(draft);
  const head = draft.main === draft.base ? (draft.runs[0]?.tip ?? draft.main) : draft.main;
  return { name, repository, missing: visibleOnly(draft, head), base: draft.base, head, ...state(draft, root, start) };
}

/** Statements about a history, and a policy. */
function state(draft: Draft, root: string, start: string): Pick<CaseModel, "lines" | "policy"> {
  const { dice, breach } = draft;
  const stated = draft.runs.flatMap(({ model }) => linesFor(draft, model));
  if (breach !== null) return { lines: stated, policy: breach.policy };
  const policy = mutatePolicy(dice, { root, commit: start });
  const landings = landingLines(draft, stated);
  const carried = landings.length > 0 && dice.chance(60) ? { movedBase: "carried" } : {};
  return { lines: [...stated, ...landings], policy: { ...policy, ...carried } };
}

function landRuns(draft: Draft): void {
  const { dice } = draft;
  if (dice.chance(50)) draft.main = addMain(draft, dice.chance(80) ? "c.txt" : "a.txt");
  draft.base = draft.main;
  for (const { model, tip } of draft.runs) land(draft, model, tip);
  if (draft.breach === null) disturb(draft);
}

function commit(draft: Draft, parent: string, [files, message]: readonly [Files, string]): string {
  draft.counter++;
  return draft.repository.commit({ parents: [parent], files, message, time: COMMIT_TIME - 3600 + draft.counter });
}

/** The files of a commit with new text in one of them. */
function changed({ repository, dice }: Draft, on: string, path: string): Files {
  return { ...repository.filesOf(on), [path]: `${path} ${dice.number() % 1_000_000}\n` };
}

const addMain = (draft: Draft, path: string): string =>
  commit(draft, draft.main, [changed(draft, draft.main, path), "By hand"]);

function addRun(draft: Draft, start: string, index: number): void {
  const { dice } = draft;
  const previous = draft.runs.at(-1);
  const from = previous !== undefined && dice.chance(40) ? previous.tip : start;
  const run = `2026110${index + 1}-101500123-k3f${index}`;
  const states: StateModel[] = [];
  const others: string[] = [];
  let tip = from;
  const count = 1 + (dice.number() % 3);
  for (let number = 1; number <= count; number++) {
    const name = `${run}/implement${number}#1`;
    if (dice.chance(6)) {
      tip = commit(draft, tip, [changed(draft, tip, `foreign${index}.txt`), dice.chance(50) ? "Beside" : AGENT]);
      others.push(tip);
    }
    const path = dice.chance(20) ? "a.txt" : `work${index}-${number}.txt`;
    tip = commit(draft, tip, [changed(draft, tip, path), `Implement\n\nIsdlc-Attempt: ${name}`]);
    states.push({ name, is: "phase", commit: tip });
  }
  if (dice.chance(40)) {
    const name = `${run}/record`;
    tip = commit(draft, tip, [markedFiles(draft, tip, index), `Record\n\nIsdlc-Attempt: ${name}`]);
    states.push({ name, is: "record", commit: tip });
  }
  draft.runs.push({ model: { run, start: from, states, others }, tip });
}

/** Files with the item marked as done in the backlog, and sometimes with an unrecorded file. */
function markedFiles({ dice, repository }: Draft, on: string, index: number): Files {
  const files = repository.filesOf(on);
  const backlog = (files["BACKLOG.md"] ?? "").replace(`1.${index + 1} [ ]`, `1.${index + 1} [x]`);
  return { ...files, "BACKLOG.md": backlog, ...(dice.chance(10) ? { "extra.txt": "x\n" } : {}) };
}

type Landing = (draft: Draft, branch: Branch) => void;
type Branch = {
  readonly model: RunModel;
  readonly tip: string;
  /** Files of the merge. Null: a conflict. */
  readonly merged: Files | null;
  readonly files: Files;
  readonly message: string;
};

/** Merges a branch like a user or a host. */
function land(draft: Draft, model: RunModel, tip: string): void {
  const { dice, repository } = draft;
  const merged = mergeFiles(repository, draft.main, tip) ?? null;
  const attempt = `Isdlc-Attempt: ${model.states[0]?.name ?? ""}`;
  const base = draft.main;
  const message = dice.chance(50) ? "Squashed (#7)" : `Squashed\n\n* Implement\n\n${attempt}`;
  dice.of(LANDINGS)(draft, { model, tip, merged, files: merged ?? repository.filesOf(tip), message });
  draft.landed.push({ run: model.run, base, result: draft.main });
}

/** Statements about some of the landings, each with the digest of a statement of its run. */
function landingLines({ dice, repository, landed }: Draft, stated: readonly LineModel[]): LineModel[] {
  return landed.flatMap((one) => {
    const payloads = stated.map(({ payload }) => payload).filter((payload) => payload.includes(`"run":"${one.run}"`));
    if (payloads.length === 0 || !dice.chance(60)) return [];
    return [landingLine(dice, landingOf(repository, dice.of(payloads), one))];
  });
}

const landByMerge: Landing = (draft, { tip, files }) => {
  draft.main = draft.repository.commit({ parents: [draft.main, tip], files, message: "Merge" });
};
const landBySquash: Landing = (draft, { files, message }) => {
  draft.main = commit(draft, draft.main, [files, message]);
};
const landByRebase: Landing = (draft, { model, files }) => rebase(draft, model, files);

const LANDINGS: readonly Landing[] = [
  landByMerge,
  landByMerge,
  landByMerge,
  landBySquash,
  landBySquash,
  landBySquash,
  landByRebase,
  landByRebase,
  (draft, branch) => {
    const isForward = ancestors(draft.repository.commits, branch.tip).has(draft.main);
    if (isForward) draft.main = branch.tip;
    else landByMerge(draft, branch);
  },
  (draft, branch) => {
    const { tip, merged } = branch;
    if (merged === null) return landByMerge(draft, branch);
    const updated = draft.repository.commit({ parents: [tip, draft.main], files: merged, message: "Update branch" });
    return draft.dice.chance(50) ? landBySquash(draft, branch) : landByMerge(draft, { ...branch, tip: updated });
  },
  (draft, { files, message }) => {
    const before = draft.repository.filesOf(draft.main);
    draft.main = commit(draft, draft.main, [files, message]);
    const reverted = commit(draft, draft.main, [before, "Revert"]);
    draft.main = commit(draft, reverted, [files, "Again"]);
    if (draft.dice.chance(50)) draft.base = reverted;
  },
  (draft, { model }) => {
    const some = draft.dice.of(model.states).commit;
    const files = draft.repository.filesOf(some);
    draft.main = draft.dice.chance(50) ? some : commit(draft, draft.main, [files, "Squashed"]);
  },
  (draft, { tip, files }) => {
    draft.main = draft.repository.commit({ parents: [draft.main, tip, draft.base], files, message: "Merge" });
  },
  // An approved tree that discards changes of the base.
  (draft, { tip }) => {
    const files = draft.repository.filesOf(tip);
    draft.main = draft.repository.commit({ parents: [draft.main, tip], files, message: "Merge" });
  },
];

function rebase(draft: Draft, { states }: RunModel, result: Files): void {
  const { repository } = draft;
  const base = draft.main;
  for (const [index, state] of states.entries()) {
    const merged = mergeFiles(repository, base, state.commit);
    const files = index === states.length - 1 ? result : (merged ?? repository.filesOf(state.commit));
    if (repository.idOfTree(files) !== repository.treeOf(draft.main))
      draft.main = commit(draft, draft.main, [files, "Rebased"]);
  }
}

/** Adds a commit that no run made. */
function disturb(draft: Draft): void {
  if (draft.dice.chance(45)) draft.dice.of(DISTURBANCES)(draft, draft.main);
}

const FALSE_CLAIM = "Trust me\n\nIsdlc-Attempt: 20260101-000000000-aaaa/x#1";

const addCommit =
  (path: string, message: string) =>
  (draft: Draft, on: string): void => {
    draft.main = commit(draft, on, [changed(draft, on, path), message]);
  };

const DISTURBANCES: readonly ((draft: Draft, on: string) => void)[] = [
  addCommit("hand.txt", "By hand"),
  addCommit("agent.txt", AGENT),
  addCommit("claim.txt", FALSE_CLAIM),
  (draft, on) => {
    const files = changed(draft, on, "evil.txt");
    draft.main = draft.repository.commit({ parents: [draft.base, on], files, message: "Merge" });
  },
  (draft, on) => {
    const old = draft.repository.filesOf(someState(draft));
    draft.main = commit(draft, commit(draft, on, [changed(draft, on, "a.txt"), "Fix"]), [old, "Tidy up"]);
  },
  (draft, on) => {
    const name = draft.runs[0]?.model.states[0]?.name ?? "";
    draft.main = commit(draft, on, [changed(draft, on, "a.txt"), `Amended\n\nIsdlc-Attempt: ${name}`]);
  },
  (draft) => {
    for (const { model } of draft.runs) for (const state of model.states) draft.missing.add(state.commit);
  },
];

const someState = ({ dice, runs }: Draft): string => dice.of(runs.flatMap(({ model }) => model.states)).commit;

/** A clone has all ancestors of the head. */
function visibleOnly({ repository, missing, base }: Draft, head: string): ReadonlySet<string> {
  const needed = new Set([...ancestors(repository.commits, head), ...ancestors(repository.commits, base)]);
  return new Set([...missing].filter((id) => !needed.has(id)));
}

function linesFor({ dice, repository, breach }: Draft, model: RunModel): LineModel[] {
  const statement = statementOf(repository, model);
  const key: KeyName = dice.chance(80) ? "ada" : dice.of(["ben", "server", "mallory"] as const);
  const keys: KeyName[] = dice.chance(25) ? [key, dice.of(["ben", "mallory", "server"] as const)] : [key];
  const passkey = dice.chance(35) ? dice.of(["ada", "ada", "ben", "mallory", "forged"] as const) : undefined;
  const signed = passkey === undefined ? {} : { passkey };
  if (breach !== null) {
    const own = breach.passkey === undefined ? signed : { passkey: breach.passkey };
    return [{ payload: JSON.stringify(breach.change(statement, dice)), keys: ["ada"], ...own }];
  }
  const first = mutateStatement(dice, statement);
  const lines = [toLine(dice, first, [...new Set(keys)])];
  if (dice.chance(12)) lines.push(toLine(dice, laterStatement(dice, statement), ["ada"]));
  if (dice.chance(5)) lines.push(toLine(dice, JSON.stringify(statement), ["ben"]));
  return dice.chance(5) ? [] : lines.map((line) => ({ ...line, ...signed }));
}

function toLine(dice: Dice, payload: string, keys: readonly KeyName[]): LineModel {
  return {
    payload,
    keys,
    ...(dice.chance(2) ? { isForged: true } : {}),
    ...(dice.chance(2) ? { isMalformed: true } : {}),
  };
}

/** A second statement about the same run. */
function laterStatement(dice: Dice, { predicate, ...statement }: RunStatement): string {
  const change = dice.of([
    { journal: { ...predicate.journal, seq: 60 } },
    { journal: { ...predicate.journal, seq: 60 }, workflow: "fix" },
    { journal: { ...predicate.journal, seq: 20 }, endedAt: null },
    { journal: { ...predicate.journal, seq: 60 }, finish: "discard" as const },
    { signedAt: "2026-11-01T12:00:00.000Z" },
    { plan: "0".repeat(64) },
  ]);
  return JSON.stringify({ ...statement, predicate: { ...predicate, ...change } });
}
