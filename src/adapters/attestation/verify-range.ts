import { availableParallelism } from "node:os";
import type { RefusedStatement, SignedLanding, SignedStatement } from "../../core/attestation/signed-statement.ts";
import { type Verification, verification } from "../../core/attestation/verification.ts";
import type { Policy } from "../../schema/policy.ts";
import type { Git } from "../git/process/git.ts";
import { answerQuestions } from "./answer-questions.ts";
import { type Belief, believeEnvelope, type Doubt } from "./believe-envelope.ts";
import { commitRange } from "./commit-range.ts";
import { notesRefs, readNotes } from "./git-notes.ts";
import { readHistory } from "./read-history.ts";
import { type LineClaims, readClaims, relevantLines } from "./relevant-lines.ts";

export type RangeVerification = Verification & { readonly named: string };

export type VerifyRequest = Omit<Doubt, "origins" | "answers"> & {
  readonly named: string;
  readonly policy: Policy;
  /** Ref or commit with notes. Null for the default refs. */
  readonly notes: string | null;
  /** Lines from other sources than notes. */
  readonly handed: readonly string[];
};

/** Verifies a range of commits. Changes no ref and no file. */
export async function verifyRange(git: Git, request: VerifyRequest): Promise<RangeVerification> {
  const { named, policy, notes, handed, signers, now } = request;
  const { commits, head, base, known } = await commitRange(git, named);
  const refs = notes === null ? await notesRefs(git) : [notes];
  const noted = await readNotes(git, { refs, objects: "all" });
  const places = new Map<string, string[]>();
  for (const [object, lines] of noted)
    for (const line of lines) places.set(line, [...(places.get(line) ?? []), object]);
  const claims = [...new Set([...places.keys(), ...handed])].map(readClaims);
  const others = claims.flatMap(({ points }) => points);
  const history = await readHistory(git, { head, others: commits.length === 0 ? [] : [...new Set(others)] });
  const lines = relevantLines(claims, { commits, head, history, places, handed: new Set(handed) });
  const beliefs = await judgeLines(lines, { signers, now, origins: policy.origins, answers: new Map() });
  const facts = { policy, base, head, commits, history: new Map([...known, ...history]), ...sortBeliefs(beliefs) };
  return { named, ...(await answerQuestions(git, verification(facts))) };
}

/**
 * Verifies several lines in parallel, as most of the time is spent waiting for ssh-keygen. Results are in the order of
 * the lines.
 */
async function judgeLines(lines: readonly LineClaims[], doubt: Doubt): Promise<readonly Belief[]> {
  const beliefs: Belief[] = [];
  const left = [...lines.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      beliefs[next[0]] = await believeEnvelope(next[1].line, doubt);
  };
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work));
  return beliefs;
}

type StatementGroups = {
  readonly statements: readonly SignedStatement[];
  readonly landings: readonly SignedLanding[];
  readonly refused: readonly RefusedStatement[];
};

function sortBeliefs(beliefs: readonly Belief[]): StatementGroups {
  return {
    statements: beliefs.flatMap((belief) => (belief.is === "run" ? [belief.signed] : [])),
    landings: beliefs.flatMap((belief) => (belief.is === "landing" ? [belief.signed] : [])),
    refused: beliefs.flatMap((belief) => (belief.is === "refused" ? [belief.refused] : [])),
  };
}
