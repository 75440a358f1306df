import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { historyGit } from "../../../adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../../adapters/attestation/isolated-git.ts";
import { signingSettings } from "../../../adapters/attestation/signing-settings.ts";
import { verifyRange } from "../../../adapters/attestation/verify-range.ts";
import type { Git } from "../../../adapters/git/process/git.ts";
import { readPolicy } from "../../../core/attestation/read-policy.ts";
import type { Coverage } from "../../../core/attestation/coverage.ts";
import { ProblemError } from "../../../core/problem.ts";
import { DEFAULT_POLICY, type Policy } from "../../../schema/policy.ts";
import { toSarif } from "../../../views/attestation/sarif.ts";
import { formatBadge, type VerificationFacts, verificationLines } from "../../../views/attestation/verification.ts";
import { flag, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { version } from "../../../compose/version.ts";
import { namedContent, withSigners } from "./signers.ts";

/**
 * Reports which commits of a range are covered by attestations. Needs no run, no journal and no key of this machine.
 */
export const verifyCommits: Run = async (invocation) => {
  const [named] = invocation.words;
  if (named === undefined || invocation.words.length > 1)
    throw new ProblemError({
      code: "USAGE",
      detail: "One range, branch or commit is verified.",
      usage: invocation.verb.usage,
    });
  const git = await historyGit(invocation.cwd, invocation.env);
  return withIsolatedGit(git, (isolated) => verifyNamed(invocation, named, { git, isolated }));
};

type Gits = {
  /** With the user's settings, which may name a list of signers. */
  readonly git: Git;
  readonly isolated: Git;
};

async function verifyNamed(invocation: Invocation, named: string, { git, isolated }: Gits): Promise<Result> {
  const policy = await loadPolicy(invocation, isolated);
  const notes = text(invocation.values, "notes") ?? null;
  const file = text(invocation.values, "statements");
  const handed = file === undefined ? [] : splitLines(await namedContent(invocation, isolated, file));
  const settings = await signingSettings(git);
  const facts = await withSigners(invocation, { isolated, settings }, (signers) =>
    verifyRange(isolated, { named, policy, notes, handed, signers, now: Date.now() }),
  );
  if (facts.commits.length === 0 && !flag(invocation.values, "allow-empty"))
    throw new ProblemError({ code: "COMMITS_EMPTY", named });
  const sarif = text(invocation.values, "sarif");
  if (sarif !== undefined)
    writeFileSync(resolve(invocation.cwd, sarif), `${JSON.stringify(toSarif(facts, version))}\n`);
  return toResult({ ...facts, servers: policy.servers }, flag(invocation.values, "badge"));
}

const splitLines = (content: Buffer): string[] =>
  content
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");

function toResult(facts: VerificationFacts, badgeOnly: boolean): Result {
  const ok = facts.violations.length === 0;
  const { named, commits, statements, refused, violations } = facts;
  const json = {
    ok,
    range: named,
    badge: formatBadge(facts),
    commits: commits.map(({ commit, coverage }) => ({
      commit: commit.commit,
      tree: commit.tree,
      subject: commit.subject,
      ...coverageJson(coverage),
    })),
    statements,
    refused,
    violations,
  };
  return { code: ok ? 0 : 1, lines: badgeOnly ? [formatBadge(facts)] : verificationLines(facts), json };
}

function coverageJson(coverage: Coverage) {
  if (coverage.by === "state") return { by: coverage.by, runs: coverage.runs.map(({ run }) => run) };
  if (coverage.by !== "landing") return coverage;
  const { runs, base, isMoved } = coverage.landing;
  return { by: coverage.by, runs: runs.map(({ run }) => run), base, isMoved };
}

/** @throws ProblemError POLICY_INVALID: an unreadable policy accepts no commit. */
async function loadPolicy(invocation: Invocation, git: Git): Promise<Policy> {
  const named = text(invocation.values, "policy");
  if (named === undefined) return DEFAULT_POLICY;
  const content = (await namedContent(invocation, git, named)).toString("utf8");
  const read = readPolicy(content);
  if (read.is === "policy") return read.policy;
  throw new ProblemError({ code: "POLICY_INVALID", file: named, detail: read.detail });
}
