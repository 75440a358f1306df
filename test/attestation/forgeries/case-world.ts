import type { RunStatement } from "../../../src/schema/attestation.ts";
import { type CaseModel, type KeyName, type LineModel, type RunModel, statementOf } from "./case-model.ts";
import { createRepositoryModel, type Files, type RepositoryModel } from "./repository-model.ts";
import { mergeFiles } from "./simple-merge.ts";

/** A repository with one approved run, to merge it or to forge something. */
export type World = {
  readonly repository: RepositoryModel;
  readonly root: string;
  /** Two states of a run on the root. */
  readonly first: string;
  readonly last: string;
  readonly run: RunModel;
  readonly statement: RunStatement;
  /** A commit that changes files of its parent; null removes a file. */
  readonly commit: (on: string, change: Readonly<Record<string, string | null>>, message?: string) => string;
  /** A commit with the files of another one. */
  readonly copy: (on: string, of: string, message?: string) => string;
  /** A merge by git, as a merge commit or as a commit on the first parent. */
  readonly merge: (first: string, second: string, message?: string) => string;
  readonly squash: (onto: string, branch: string, message?: string) => string;
  /** A commit on the base by hand that is not part of the range. */
  readonly move: () => string;
  readonly sign: (statement: RunStatement, ...keys: KeyName[]) => LineModel;
  /** Another run with one state. */
  readonly another: (
    on: string,
    file: string,
    change?: Readonly<Record<string, string | null>>,
  ) => { readonly last: string; readonly line: LineModel };
};

export type ForgedCase = {
  readonly head: string;
  /** Default: the root. */
  readonly base?: string;
  /** Default: the true statement signed by Ada. */
  readonly lines?: readonly LineModel[];
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly missing?: readonly string[];
};

export const RUN = "20261101-101500123-k3f0";
export const attempt = (number: number): string => `Isdlc-Attempt: ${RUN}/implement${number}#1`;

export function createWorld(digits: 40 | 64, files: Files = {}): World {
  const repository = createRepositoryModel(digits);
  const commit: World["commit"] = (on, change, message = "By hand") => {
    const all = { ...repository.filesOf(on), ...change };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    return repository.commit({ parents: [on], files: Object.fromEntries(kept), message });
  };
  const merged = (first: string, second: string): Files => {
    const result = mergeFiles(repository, first, second);
    if (result === null || result === undefined) throw new Error("the case merges what conflicts");
    return result;
  };
  const start = { "a.txt": "a\n", "b.txt": "b\n", "BACKLOG.md": "# Backlog\n\n- 1.1 [ ] First\n- 1.2 [ ] Second\n" };
  const root = repository.commit({ parents: [], files: { ...start, ...files }, message: "Start" });
  const first = commit(root, { "one.txt": "1\n" }, `One\n\n${attempt(1)}`);
  const last = commit(first, { "two.txt": "2\n" }, `Two\n\n${attempt(2)}`);
  const states = [first, last].map((id, index) => ({
    name: `${RUN}/implement${index + 1}#1`,
    is: "phase" as const,
    commit: id,
  }));
  const run = { run: RUN, start: root, states };
  const sign: World["sign"] = (statement, ...keys) => ({
    payload: JSON.stringify(statement),
    keys: keys.length === 0 ? ["ada"] : keys,
  });
  return {
    repository,
    root,
    first,
    last,
    run,
    statement: statementOf(repository, run),
    commit,
    copy: (on, of, message = "Squashed (#7)") =>
      repository.commit({ parents: [on], files: repository.filesOf(of), message }),
    merge: (one, other, message = "Merge") =>
      repository.commit({ parents: [one, other], files: merged(one, other), message }),
    squash: (onto, branch, message = "Squashed (#7)") =>
      repository.commit({ parents: [onto], files: merged(onto, branch), message }),
    move: () => commit(root, { "b.txt": "moved\n" }),
    sign,
    another(on, file, change = { [file]: "3\n" }) {
      const id = "20261102-101500123-k3f1";
      const state = commit(on, change, `Three\n\nIsdlc-Attempt: ${id}/implement1#1`);
      const other = {
        run: id,
        start: on,
        states: [{ name: `${id}/implement1#1`, is: "phase" as const, commit: state }],
      };
      const statement = statementOf(repository, other);
      return {
        last: state,
        line: sign({ ...statement, predicate: { ...statement.predicate, startedAt: "2026-11-01T10:20:00Z" } }),
      };
    },
  };
}

export function toCase(world: World, name: string, made: ForgedCase): CaseModel {
  const { repository, root, statement, sign } = world;
  const { head, base = root, lines = [sign(statement)], policy = {}, missing = [] } = made;
  return { name, repository, missing: new Set(missing), base, head, lines, policy };
}
