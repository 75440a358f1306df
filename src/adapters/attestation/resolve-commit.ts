import { ProblemError } from "../../core/problem.ts";
import { type Git, must } from "../git/process/git.ts";
import { isObjectId } from "../git/process/ref-name.ts";
import { isAskable } from "./history-git.ts";
import { fileInTree, peelToCommit, readObjects, treeOfCommit } from "./verified-objects.ts";
import { parseCommit } from "./parse-commit.ts";

export type ResolvedName = {
  readonly commit: string;
  /** Full name of the ref. Null for commit ids, HEAD and names with `~` or `^`. */
  readonly ref: string | null;
};

/**
 * Finds the commit of a name: an id, `HEAD`, a full ref or a short name of exactly one ref, optionally followed by
 * `~2` or `^1`. Unlike git, never chooses between several refs, and reads no file of the git folder such as
 * `.git/main`.
 * @throws ProblemError COMMITS_AMBIGUOUS
 */
export async function resolveCommit(git: Git, name: string): Promise<ResolvedName | null> {
  const [, base = "", steps = ""] = /^(.*?)((?:[~^]\d*)*)$/s.exec(name) ?? [];
  if (!isAskable(base)) return null;
  const found = await resolveName(git, base);
  if (found === null || steps === "") return found;
  const commit = await followSteps(git, found.commit, steps);
  return commit === null ? null : { commit, ref: null };
}

async function resolveName(git: Git, name: string): Promise<ResolvedName | null> {
  if (isObjectId(name)) return peeled(git, name, null);
  if (name === "HEAD" || name === "@") {
    const answer = await git(["rev-parse", "--verify", "--quiet", "HEAD"]);
    return answer.status === 0 ? peeled(git, answer.stdout.toString("latin1").trim(), null) : null;
  }
  const refs = await refsNamed(git, name);
  const ids = /^[0-9a-f]{4,64}$/.test(name) ? await idsBeginning(git, name) : [];
  const [only, ...others] = [...refs.keys(), ...ids];
  if (others.length > 0) throw ambiguous(name, [only ?? "", ...others]);
  if (only === undefined) return null;
  const id = refs.get(only);
  return peeled(git, id ?? only, id === undefined ? null : only);
}

async function peeled(git: Git, id: string, ref: string | null): Promise<ResolvedName | null> {
  const commit = isObjectId(id) ? await peelToCommit(git, id) : null;
  return commit === null ? null : { commit, ref };
}

/** Returns the refs that git would consider for a name: full name and id. */
async function refsNamed(git: Git, name: string): Promise<ReadonlyMap<string, string>> {
  const places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((place) => `${place}${name}`);
  const names = new Set(name.startsWith("refs/") ? [name] : [...places, `refs/remotes/${name}/HEAD`]);
  if (/[*?[\\]/.test(name)) return new Map();
  const output = await must(git(["for-each-ref", "--format=%(objectname) %(refname)", ...names]), "for-each-ref");
  const lines = output
    .toString("utf8")
    .split("\n")
    .map((line) => line.split(" "));
  // A pattern also matches refs under it.
  return new Map(lines.flatMap(([id = "", ref = ""]) => (names.has(ref) ? [[ref, id] as const] : [])));
}

async function idsBeginning(git: Git, digits: string): Promise<string[]> {
  const answer = await git(["rev-parse", `--disambiguate=${digits}`]);
  const ids = answer.stdout
    .toString("latin1")
    .split("\n")
    .filter((id) => isObjectId(id));
  return [...(await readObjects(git, ids))].flatMap(([id, { type }]) =>
    type === "commit" || type === "tag" ? [id] : [],
  );
}

async function followSteps(git: Git, commit: string, steps: string): Promise<string | null> {
  let at = commit;
  for (const [, kind = "", digits = ""] of steps.matchAll(/([~^])(\d*)/g)) {
    const number = digits === "" ? 1 : Number(digits);
    for (let step = kind === "~" ? number : Math.min(number, 1); step > 0; step--) {
      const parent = await readParent(git, at, kind === "~" ? 1 : number);
      if (parent === null) return null;
      at = parent;
    }
  }
  return at;
}

async function readParent(git: Git, commit: string, number: number): Promise<string | null> {
  const object = (await readObjects(git, [commit])).get(commit);
  return object === undefined ? null : (parseCommit(commit, object.content)?.parents[number - 1] ?? null);
}

const ambiguous = (named: string, refs: readonly string[]): ProblemError =>
  new ProblemError({ code: "COMMITS_AMBIGUOUS", named, refs });

/** Reads the file at `<commit>:<path>`. Null if the commit or the path does not exist. */
export async function fileInHistory(git: Git, named: string): Promise<Buffer | null> {
  const colon = named.indexOf(":");
  const found = await resolveCommit(git, named.slice(0, colon));
  const tree = found === null ? null : await treeOfCommit(git, found.commit);
  return tree === null ? null : fileInTree(git, tree, named.slice(colon + 1));
}
