import { type CommitMap, createHistory, type SeenCommit } from "../../core/attestation/history.ts";
import { ownValue } from "../../core/own-value.ts";
import { claimsIn } from "./believe-envelope.ts";
import { readEnvelope } from "./dsse.ts";

/** Claims of a line about its run, valid or not. */
export type LineClaims = {
  readonly line: string;
  readonly run: string | null;
  /** Commits claimed to be made by the run. */
  readonly points: readonly string[];
  readonly trees: readonly string[];
  /** Other commits of its branch. */
  readonly others: readonly string[];
  /** Parents of the run's commits. */
  readonly parents: readonly string[];
};

export function readClaims(line: string): LineClaims {
  const reading = readEnvelope(line);
  if (reading.is === "refused") return { line, run: null, points: [], trees: [], others: [], parents: [] };
  const { run, commits, value } = claimsIn(reading.envelope.payload);
  const others = toList(ownValue(ownValue(ownValue(value, "predicate"), "git"), "others"));
  const states = toList(ownValue(ownValue(value, "predicate"), "states"));
  const parents = states.flatMap((state) => toList(ownValue(state, "parents")));
  const trees = toList(ownValue(value, "subject")).map((one) => ownValue(ownValue(one, "digest"), "gitTree"));
  return {
    line,
    run,
    points: commits.filter((id) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)),
    trees: trees.filter((tree) => typeof tree === "string"),
    others: others.map((one) => ownValue(one, "commit")).filter((commit) => typeof commit === "string"),
    parents: parents.filter((commit) => typeof commit === "string"),
  };
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export type Relevance = {
  readonly commits: readonly SeenCommit[];
  readonly head: string;
  readonly history: CommitMap;
  /** Objects with a note that contains the line, by line. */
  readonly places: ReadonlyMap<string, readonly string[]>;
  readonly handed: ReadonlySet<string>;
};

/**
 * Returns the lines that can change the result: handed lines, and those of runs that name an object of the range, are
 * named by the range, or may land in it because its base does not have them; and of runs that these build on. Other
 * lines need no signature check.
 */
export function relevantLines(claims: readonly LineClaims[], relevance: Relevance): readonly LineClaims[] {
  const { commits, places, handed } = relevance;
  const objects = new Set(commits.flatMap(({ commit, tree }) => [commit, tree]));
  const named = new Set(commits.flatMap(({ attempts }) => attempts.map((attempt) => attempt.split("/", 1).join(""))));
  const mayLand = landingTest(relevance);
  const isNamed = ({ line, run, points, trees, others }: LineClaims): boolean =>
    handed.has(line) ||
    (run !== null && named.has(run)) ||
    [...points, ...trees, ...others].some((id) => objects.has(id)) ||
    places.get(line)?.some((object) => objects.has(object)) === true;
  const relevant = new Set(claims.filter((claim) => isNamed(claim) || mayLand(claim)));
  for (let size = -1; size !== relevant.size;) {
    size = relevant.size;
    const runs = new Set([...relevant].map(({ run }) => run));
    const below = new Set([...relevant].flatMap(({ parents }) => parents));
    for (const claim of claims)
      if ((claim.run !== null && runs.has(claim.run)) || claim.points.some((commit) => below.has(commit)))
        relevant.add(claim);
  }
  return [...relevant];
}

/** Returns a test for runs with a commit in the repository that are not part of the range's base. */
function landingTest({ commits, head, history }: Relevance): (claims: LineClaims) => boolean {
  const inRange = new Set(commits.map(({ commit }) => commit));
  const ancestry = createHistory(history);
  return ({ points }) => {
    const present = points.filter((commit) => history.has(commit));
    return present.length > 0 && !present.every((commit) => ancestry.isAncestor(commit, head) && !inRange.has(commit));
  };
}
