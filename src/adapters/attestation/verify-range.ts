import { availableParallelism } from "node:os";
import { latestStatements } from "../../core/attestation/latest-statements.ts";
import {
  type CoveredCommit,
  coverageOf,
  type RefusedStatement,
  type SignedStatement,
} from "../../core/attestation/coverage.ts";
import type { SeenCommit } from "../../core/attestation/seen-commit.ts";
import type { Git } from "../git/process/git.ts";
import { type Belief, believeEnvelope, CLOCK_SKEW, type Doubt } from "./believe-envelope.ts";
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
};

/** Finds the statements about a range of commits, judges them, and says what they cover. Reads only. */
export async function verifyRange(git: Git, { named, notes, ...doubt }: VerifyRequest): Promise<Verification> {
  const range = await commitRange(git, named);
  const objects = new Set(range.commits.flatMap(({ commit, tree }) => [commit, tree]));
  const noted = await readNotes(git, { refs: notes === null ? await notesRefs(git) : [notes], objects });
  const beliefs = await judgeAll([...new Set([...noted.values()].flat())], doubt);
  const { believed, refused } = sortOut(noted, beliefs, range);
  const statements = latestStatements(believed);
  const commits = coverageOf({
    ...range,
    statements,
    refused,
    plainMerges: await plainMerges(git, range.commits),
  });
  return { named, commits, statements, refused };
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
      const why = belief.is === "refused" ? belief.why : misfitOf(belief, object, commits);
      if (belief.is === "believed" && why === null) believed.add(belief);
      else refused.push({ object, why: why ?? "", run: runOf(belief) });
    }
  return { believed: [...believed], refused };
}

const runOf = (belief: Belief): string | null =>
  belief.is === "refused" ? belief.run : belief.statement.predicate.run;

function misfitOf({ statement }: SignedStatement, object: string, commits: readonly SeenCommit[]): string | null {
  const subjects = statement.subject.map(({ digest }) => digest);
  if (!subjects.some(({ gitCommit, gitTree }) => gitCommit === object || gitTree === object))
    return "it is about other commits than the one it is noted for";
  const seen = new Map(commits.map((commit) => [commit.commit, commit]));
  const named = subjects.flatMap((subject) => seen.get(subject.gitCommit) ?? []);
  if (named.some(({ commit, tree }) => subjects.some((one) => one.gitCommit === commit && one.gitTree !== tree)))
    return "it names another tree than its commit has";
  const signed = Date.parse(statement.predicate.signedAt) + CLOCK_SKEW;
  return named.some(({ committedAt }) => committedAt > signed)
    ? "it was signed before a commit that it names was made"
    : null;
}
