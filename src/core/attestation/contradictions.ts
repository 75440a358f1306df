import type { LandingStatement, RunStatement } from "../../schema/attestation.ts";
import { parseInstant } from "./instant.ts";

/** Returns why a run statement cannot be true of any run, regardless of its signer. Null if it can. */
export function findContradiction(statement: RunStatement): string | null {
  return contradictoryTimes(statement) ?? contradictoryCommits(statement) ?? contradictoryPhases(statement);
}

/** Returns why a landing statement cannot be true. Null if it can. */
export function findLandingContradiction({ subject, predicate }: LandingStatement): string | null {
  if (parseInstant(predicate.landedAt) > parseInstant(predicate.signedAt)) return "it was signed before the landing";
  const { commit, tree } = predicate.result;
  const isResult = subject.every(({ digest }) => digest.gitCommit === commit && digest.gitTree === tree);
  return isResult ? null : "its subject is not the result";
}

function contradictoryTimes({ predicate }: RunStatement): string | null {
  const { startedAt, endedAt, sealedAt, signedAt, finish } = predicate;
  const signed = parseInstant(signedAt);
  if ([startedAt, endedAt, sealedAt].some((time) => time !== null && parseInstant(time) > signed))
    return "it was signed before the run started, ended or was sealed";
  if (endedAt !== null && parseInstant(endedAt) < parseInstant(startedAt)) return "its run ended before it started";
  const isCancelled = endedAt !== null && sealedAt === null;
  return finish === null && !isCancelled && (endedAt !== null || sealedAt !== null)
    ? "its run is sealed without a finish"
    : null;
}

function contradictoryCommits({ subject, predicate }: RunStatement): string | null {
  const { states, git } = predicate;
  if (states.length !== subject.length) return "it names another number of states than of commits";
  const merges = states.filter(({ is }) => is === "merge").length;
  if (merges === states.length) return "it names no state";
  if (states.slice(0, states.length - merges).some(({ is }) => is === "merge"))
    return "it names a merge before a state";
  const commits = subject.map(({ digest }) => digest.gitCommit);
  if (new Set(commits).size !== commits.length) return "it names a commit twice";
  const others = new Set(git.others.map(({ commit }) => commit));
  if (commits.some((commit) => others.has(commit) || commit === git.start.commit))
    return "it names a commit as made and as not made";
  const chain = [git.start.commit, ...commits];
  const isBroken = states.some(({ is, parents }, index) => {
    const [parent = ""] = parents;
    return is !== "merge" && (parents.length !== 1 || (parent !== chain[index] && !others.has(parent)));
  });
  return isBroken ? "its states do not follow each other" : contradictoryAdoption(predicate);
}

/** Commits made before the run come before its own, and the statement says so. */
function contradictoryAdoption({ states, adopted }: RunStatement["predicate"]): string | null {
  const last = states.findLastIndex(({ is }) => is === "adopted");
  if (last === -1) return null;
  if (adopted === undefined) return "it names adopted commits of a run that adopted no work";
  return states.slice(0, last).some(({ is }) => is !== "adopted") ? "it names an adopted commit after its own" : null;
}

function contradictoryPhases({ subject, predicate: { phases } }: RunStatement): string | null {
  if (new Set(phases.map(({ key }) => key)).size !== phases.length) return "it names a phase twice";
  const commits = new Set(subject.map(({ digest }) => digest.gitCommit));
  return phases.some(({ commit }) => commit !== null && !commits.has(commit))
    ? "it names a commit of a phase that is not part of the run"
    : null;
}
