import type { RunPredicate } from "../../schema/attestation.ts";
import { type CommitId, type RunId, phaseNumber } from "../../schema/ids.ts";
import type { Policy } from "../../schema/policy.ts";
import { type CoveredCommit, isCovered, type SignedStatement } from "./coverage.ts";

/** One rule that is not kept, and by what. */
export type Violation = {
  readonly rule: keyof Policy;
  readonly commit: CommitId | null;
  readonly run: RunId | null;
  readonly text: string;
};

export type Judged = { readonly commits: readonly CoveredCommit[]; readonly statements: readonly SignedStatement[] };

/** Holds a range against a policy: its commits, and every statement that one of them relies on. */
export function violationsOf(policy: Policy, { commits, statements }: Judged): Violation[] {
  const relied = new Set(commits.flatMap(({ coverage }) => ("run" in coverage ? [coverage.run] : [])));
  return [
    ...commits.flatMap((commit) => uncoveredBy(policy, commit)),
    ...statements
      .filter(({ statement }) => relied.has(statement.predicate.run))
      .flatMap((signed) => statementViolations(policy, signed)),
  ];
}

/** Of a commit by hand nobody can say who made it: a policy about agents lets it pass, and no other. */
function uncoveredBy(policy: Policy, covered: CoveredCommit): Violation[] {
  const { commit, coverage } = covered;
  if (isCovered(covered) || coverage.by !== null) return [];
  if (policy.commits === "agents" && coverage.why === "person") return [];
  return [{ rule: "commits", commit: commit.commit, run: null, text: coverage.detail }];
}

type Rule = (policy: Policy, signed: SignedStatement) => readonly string[];

const RULES: { readonly [R in keyof Policy]?: Rule } = {
  people: ({ people, fourEyes }, { signers }) =>
    people === undefined || fourEyes || signers.some(({ signer }) => people.includes(signer))
      ? []
      : [`vouched for by ${signers.map(({ signer }) => signer).join(", ")}, who may not`],
  fourEyes: ({ people, fourEyes }, { signers }) => {
    if (!fourEyes) return [];
    const able = signers.filter(({ signer }) => people === undefined || people.includes(signer));
    const pairs = Math.min(count(able.map(({ signer }) => signer)), count(able.map(({ keyid }) => keyid)));
    return pairs >= 2 ? [] : [`${pairs === 0 ? "nobody who may" : "one person"} vouches for it, and two must`];
  },
  workflows: ({ workflows }, { statement }) =>
    workflows === undefined || workflows.includes(statement.predicate.workflow)
      ? []
      : [`made by the workflow ${statement.predicate.workflow}`],
  phases: ({ phases }, { statement }) => phases.flatMap((name) => phaseProblem(statement.predicate, name)),
  gates: (policy, { statement }) => policy.gates.flatMap((name) => gateProblem(policy, statement.predicate, name)),
  passkeys: (policy, signed) =>
    policy.passkeys ? policy.gates.flatMap((name) => passkeyProblem(policy, signed, name)) : [],
  forbidOverruled: ({ forbidOverruled }, { statement }) =>
    statement.predicate.overruled
      .filter(
        ({ what, name }) => forbidOverruled.includes(what) || (what === "check" && forbidOverruled.includes(name)),
      )
      .map(
        ({ what, name, phase, by }) => `${by.name} went on over ${what} ${name}${phase === null ? "" : ` in ${phase}`}`,
      ),
  sandbox: ({ sandbox }, { statement }) =>
    !sandbox || statement.predicate.sandbox === true ? [] : ["its agents were not in a sandbox"],
};

function statementViolations(policy: Policy, signed: SignedStatement): Violation[] {
  const { run } = signed.statement.predicate;
  return Object.entries(RULES).flatMap(
    ([rule, judge]) => judge(policy, signed).map((text) => ({ rule: rule as keyof Policy, commit: null, run, text })), // keys of RULES
  );
}

const count = (names: readonly string[]): number => new Set(names).size;

type Phase = RunPredicate["phases"][number];

/** By its key, or the two digits people use for it. */
const phaseNamed = ({ phases }: RunPredicate, name: string): Phase | undefined =>
  phases.find(({ key }) => key === name || phaseNumber(key) === name);

function phaseProblem(predicate: RunPredicate, name: string): string[] {
  const phase = phaseNamed(predicate, name);
  if (phase === undefined) return [`its plan has no phase ${name}`];
  if (phase.status === "completed" && phase.accepted !== null) return [];
  return [
    `the phase ${phase.key} is ${phase.status.replace("_", " ")}${phase.status === "completed" ? ", and not accepted" : ""}`,
  ];
}

function gateProblem({ channels }: Policy, predicate: RunPredicate, name: string): string[] {
  const phase = phaseNamed(predicate, name);
  if (phase === undefined) return [`its plan has no phase ${name}`];
  const accepted = phase.accepted?.by ?? "engine";
  const last = phase.gates.at(-1);
  if (accepted === "engine" || last?.decision !== "continue") return [`no person answered the gate of ${phase.key}`];
  if (last.suspicious)
    return [`the gate of ${phase.key} was answered from a terminal opened while an agent was at work`];
  return channels === undefined || channels.some((channel) => channel === last.by.channel)
    ? []
    : [`the gate of ${phase.key} was answered by ${last.by.channel}`];
}

/** Of a gate that a person answered: who else could have is not asked twice. */
function passkeyProblem({ people }: Policy, { statement, gateSigners }: SignedStatement, name: string): string[] {
  const phase = phaseNamed(statement.predicate, name);
  const last = phase?.gates.at(-1);
  if (phase === undefined || last?.decision !== "continue") return [];
  const gateSigner = gateSigners.find(({ wait, decision }) => wait === last.wait && decision === last.decision);
  if (gateSigner === undefined)
    return [`the gate of ${phase.key} was not signed with a passkey of somebody on the list`];
  return people === undefined || people.includes(gateSigner.signer)
    ? []
    : [`the gate of ${phase.key} was signed by ${gateSigner.signer}, who may not`];
}
