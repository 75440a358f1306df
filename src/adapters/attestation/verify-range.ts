import { availableParallelism } from "node:os";
import { latestStatements } from "../../core/attestation/latest-statements.ts";
import {
  type CoveredCommit,
  coverageOf,
  type RefusedStatement,
  type SignedStatement,
} from "../../core/attestation/coverage.ts";
import type { SeenCommit } from "../../core/attestation/seen-commit.ts";
import { isRunId } from "../../schema/ids.ts";
import type { Git } from "../git/process/git.ts";
import { type Belief, believeEnvelope, CLOCK_SKEW, type Doubt } from "./believe-envelope.ts";
import { readEnvelope } from "./dsse.ts";
import { type CommitRange, commitRange } from "./commit-range.ts";
import { notesRefs, readNotes } from "./git-notes.ts";
import { plainMerges } from "./plain-merges.ts";

export type Verification = {
  readonly named: string;
  readonly commits: readonly CoveredCommit[];
  readonly statements: readonly SignedStatement[];
  readonly refused: readonly RefusedStatement[];
};

export type VerifyRequest = Doubt & {
  readonly named: string;
  /** Where to look for notes instead of where they usually are. */
  readonly notes: string | null;
  /** Envelopes that were handed over in another way, to be judged beside those noted. */
  readonly handed: readonly string[];
};

/** Finds the statements about a range of commits, judges them, and says what they cover. Moves no ref and no file. */
export async function verifyRange(git: Git, { named, notes, handed, ...doubt }: VerifyRequest): Promise<Verification> {
  const range = await commitRange(git, named);
  const objects = new Set(range.commits.flatMap(({ commit, tree }) => [commit, tree]));
  const refs = notes === null ? await notesRefs(git) : [notes];
  const noted = await readNotes(git, { refs, objects });
  const beliefs = await judgeAll([...new Set([...[...noted.values()].flat(), ...handed])], doubt);
  const { believed, refused } = sortOut(withHanded(noted, handed, beliefs), beliefs, range);
  const elsewhere = await claimedStatements(git, { refs, range, judged: beliefs, doubt });
  const statements = latestStatements([...believed, ...elsewhere]);
  const commits = coverageOf({
    ...range,
    statements,
    refused,
    plainMerges: await plainMerges(git, range.commits),
  });
  return { named, commits, statements, refused };
}

/** What is noted for nothing counts as noted for the first commit that it names. */
function withHanded(
  noted: ReadonlyMap<string, readonly string[]>,
  handed: readonly string[],
  beliefs: ReadonlyMap<string, Belief>,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map(noted);
  for (const line of handed) {
    const belief = beliefs.get(line);
    const named = belief?.is === "believed" ? belief.statement.subject[0]?.digest.gitCommit : undefined;
    const object = named ?? "handed over";
    all.set(object, [...new Set([...(all.get(object) ?? []), line])]);
  }
  return all;
}

type Claims = {
  readonly refs: readonly string[];
  readonly range: CommitRange;
  /** Lines that were looked at already, and what came of it. */
  readonly judged: ReadonlyMap<string, Belief>;
  readonly doubt: Doubt;
};

/**
 * Statements about runs that commits only say they are of: what a rebase, an amend or a squash left has other ids and
 * trees, and is told by what it was made from.
 */
async function claimedStatements(git: Git, { refs, range, judged, doubt }: Claims): Promise<SignedStatement[]> {
  const signed = new Set([...judged.values()].map(runOf));
  const claimed = range.commits.flatMap(({ attempts }) => attempts.map((attempt) => attempt.split("/", 1).join("")));
  const runs = [...new Set(claimed)].filter((run) => isRunId(run) && !signed.has(run));
  if (runs.length === 0) return [];
  const all = await readNotes(git, { refs, objects: "all" });
  const left = [...new Set([...all.values()].flat())].filter((line) => !judged.has(line));
  const beliefs = await judgeAll(
    left.filter((line) => runs.some((run) => isAbout(line, run))),
    doubt,
  );
  return [...beliefs.values()]
    .filter((belief) => belief.is === "believed")
    .filter((belief) => untruthOf(belief, range.commits) === null);
}

/** Cheaply, before anything is verified. */
function isAbout(line: string, run: string): boolean {
  const reading = readEnvelope(line);
  return reading.is === "envelope" && reading.envelope.payload.includes(`"run":"${run}"`);
}

/** Several at a time: most of it is waiting for ssh-keygen. */
async function judgeAll(lines: readonly string[], doubt: Doubt): Promise<ReadonlyMap<string, Belief>> {
  const beliefs = new Map<string, Belief>();
  const left = [...lines];
  const work = async (): Promise<void> => {
    for (let line = left.pop(); line !== undefined; line = left.pop())
      beliefs.set(line, await believeEnvelope(line, doubt));
  };
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work));
  return beliefs;
}

type Sorted = { readonly believed: readonly SignedStatement[]; readonly refused: readonly RefusedStatement[] };

/** What is noted for an object counts only if it is about that object. */
function sortOut(
  noted: ReadonlyMap<string, readonly string[]>,
  beliefs: ReadonlyMap<string, Belief>,
  { commits }: CommitRange,
): Sorted {
  const believed = new Set<SignedStatement>();
  const refused: RefusedStatement[] = [];
  for (const [object, lines] of noted)
    for (const line of lines) {
      const belief = beliefs.get(line);
      if (belief === undefined) continue;
      const why = belief.is === "refused" ? belief.why : (strayOf(belief, object) ?? untruthOf(belief, commits));
      if (belief.is === "believed" && why === null) believed.add(belief);
      else refused.push({ object, why: why ?? "", run: runOf(belief) });
    }
  return { believed: [...believed], refused };
}

const runOf = (belief: Belief): string | null =>
  belief.is === "refused" ? belief.run : belief.statement.predicate.run;

/** A note may be put on any object; it says nothing about one that the statement does not name. */
function strayOf({ statement: { subject, predicate } }: SignedStatement, object: string): string | null {
  const isNamed = subject.some(({ digest }) => digest.gitCommit === object || digest.gitTree === object);
  const isBeside = predicate.git.others.some(({ commit }) => commit === object);
  return isNamed || isBeside ? null : "it is about other commits than the one it is noted for";
}

/** What the repository knows better. */
function untruthOf({ statement }: SignedStatement, commits: readonly SeenCommit[]): string | null {
  const trees = new Map(statement.subject.map(({ digest }) => [digest.gitCommit, digest.gitTree]));
  const named = commits.filter(({ commit }) => trees.has(commit));
  if (named.some(({ commit, tree }) => trees.get(commit) !== tree)) return "it names another tree than its commit has";
  const signed = Date.parse(statement.predicate.signedAt) + CLOCK_SKEW;
  return named.some(({ committedAt }) => committedAt > signed)
    ? "it was signed before a commit that it names was made"
    : null;
}
