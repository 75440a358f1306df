import { objectId } from "../../../src/adapters/git/objects/git-objects.ts";
import { parseCommit } from "../../../src/adapters/attestation/parse-commit.ts";
import type { SeenCommit } from "../../../src/core/attestation/history.ts";

export type Files = Readonly<Record<string, string>>;

export type NewCommit = {
  readonly parents: readonly string[];
  readonly files: Files;
  readonly message?: string;
  readonly author?: string;
  /** Seconds since 1970. */
  readonly time?: number;
};

export type GitObject = { readonly type: "blob" | "tree" | "commit"; readonly content: Buffer };

/** A repository in memory, with the object ids that git would give. */
export type RepositoryModel = {
  readonly digits: 40 | 64;
  readonly objects: ReadonlyMap<string, GitObject>;
  readonly commits: ReadonlyMap<string, SeenCommit>;
  /** Files by tree. */
  readonly trees: ReadonlyMap<string, Files>;
  commit(commit: NewCommit): string;
  filesOf(commit: string): Files;
  treeOf(commit: string): string;
  idOfTree(files: Files): string;
};

/** Before the time of signing in every statement. */
export const COMMIT_TIME = 1_793_530_800; // 2026-11-01T11:00:00Z
const ADA = "Ada <ada@example.org>";

export function createRepositoryModel(digits: 40 | 64 = 40): RepositoryModel {
  const objects = new Map<string, GitObject>();
  const commits = new Map<string, SeenCommit>();
  const trees = new Map<string, Files>();
  const add = (type: GitObject["type"], content: Buffer): string => {
    const id = objectId({ type, content }, digits);
    objects.set(id, { type, content });
    return id;
  };
  const addTree = (files: Files): string => writeTree(files, add);
  return {
    digits,
    objects,
    commits,
    trees,
    commit({ parents, files, message = "Work", author = ADA, time = COMMIT_TIME }) {
      const tree = addTree(files);
      trees.set(tree, files);
      const lines = [
        `tree ${tree}`,
        ...parents.map((parent) => `parent ${parent}`),
        `author ${author} ${time} +0000`,
        `committer ${author} ${time} +0000`,
      ];
      const content = Buffer.from(`${lines.join("\n")}\n\n${message}\n`);
      const id = add("commit", content);
      const seen = parseCommit(id, content);
      if (seen === null) throw new Error("the commit is malformed");
      commits.set(id, seen);
      return id;
    },
    filesOf: (commit) => trees.get(commits.get(commit)?.tree ?? "") ?? {},
    treeOf: (commit) => commits.get(commit)?.tree ?? "",
    idOfTree: (files) => writeTree(files, (type, content) => objectId({ type, content }, digits)),
  };
}

type Add = (type: GitObject["type"], content: Buffer) => string;

/** Adds the objects of a tree, and returns its id. */
function writeTree(files: Files, add: Add): string {
  const entries = new Map<string, { mode: string; id: string }>();
  const folders = new Map<string, Record<string, string>>();
  for (const [path, text] of Object.entries(files)) {
    const [name = "", ...rest] = path.split("/");
    if (rest.length === 0) entries.set(name, { mode: "100644", id: add("blob", Buffer.from(text)) });
    else folders.set(name, { ...folders.get(name), [rest.join("/")]: text });
  }
  for (const [name, below] of folders) entries.set(name, { mode: FOLDER, id: writeTree(below, add) });
  const content = [...entries]
    .toSorted((one, other) => (sortName(one) < sortName(other) ? -1 : 1))
    .map(([name, { mode, id }]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]));
  return add("tree", Buffer.concat(content));
}

const FOLDER = "40000";

/** Git sorts folders as if their names ended with a slash. */
const sortName = ([name, { mode }]: readonly [string, { readonly mode: string }]): string =>
  mode === FOLDER ? `${name}/` : name;
