import type { RunPredicate } from "../../schema/attestation.ts";
import { type CommitId, type RunId, phaseNumber } from "../../schema/ids.ts";
import type { Policy } from "../../schema/policy.ts";
import type { CoveredCommit } from "./coverage.ts";
import { type QuestionSequence, askRecordOnly } from "./question.ts";
import type { SignedStatement, Signer } from "./signed-statement.ts";
import { type UsableRun, lastAccepted } from "./usable-runs.ts";
import type { CommitCode, RuleCode } from "./verification-codes.ts";

/** A violated rule, with the commit or run that violates it. */
export type Violation = {
  readonly rule: keyof Policy;
  readonly code: CommitCode | RuleCode;
  readonly commit: CommitId | null;
  readonly run: RunId | null;
  readonly text: string;
};

export type PolicyFacts = {
  readonly policy: Policy;
  readonly commits: readonly CoveredCommit[];
  /** Signers of all statements with valid signatures, to find signers that are one person. */
  readonly signers: readonly Signer[];
  /** True if the policy names no root commit, or one of this history. */
  readonly isRepository: boolean;
};

/** Checks a range against a policy: its commits, and every statement that a commit relies on. */
export function* findViolations(facts: PolicyFacts): QuestionSequence<Violation[]> {
  const { policy, commits } = facts;
  const violations = commits.flatMap((commit) => commitViolation(policy, commit));
  if (!facts.isRepository)
    violations.push({
      rule: "repository",
      code: "OTHER_REPOSITORY",
      commit: null,
      run: null,
      text: `the root commit ${policy.repository ?? ""} is not part of this history`,
    });
  for (const run of reliedUpon(commits)) {
    const broken = [
      ...statementProblems(facts, run.signed),
      ...(yield* gateProblems(policy, run)),
      ...(yield* signedTreeProblems(policy, run)),
    ];
    violations.push(...broken.map((problem) => ({ ...problem, commit: null, run: run.run })));
  }
  return violations;
}

/** Returns the runs behind the commits of the range. */
function reliedUpon(commits: readonly CoveredCommit[]): readonly UsableRun[] {
  const runs = commits.flatMap(({ coverage }) => {
    if (coverage.by === "state") return coverage.runs;
    return coverage.by === "landing" ? coverage.landing.runs : [];
  });
  return [...new Set(runs)];
}

/**
 * Reports an uncovered commit. Only a policy about agents accepts commits made by hand, because they have no mark of
 * an agent.
 */
function commitViolation(policy: Policy, { commit, coverage }: CoveredCommit): Violation[] {
  if (coverage.by !== null || (policy.commits === "agents" && coverage.code === "BY_HAND")) return [];
  return [{ rule: "commits", code: coverage.code, commit: commit.commit, run: null, text: coverage.detail }];
}

type RuleProblem = Pick<Violation, "rule" | "code" | "text">;

function statementProblems({ policy, signers }: PolicyFacts, signed: SignedStatement): RuleProblem[] {
  const { predicate } = signed.statement;
  const { workflows, sandbox } = policy;
  const workflow: RuleProblem[] =
    workflows === undefined || workflows.includes(predicate.workflow)
      ? []
      : [{ rule: "workflows", code: "WORKFLOW_NOT_ALLOWED", text: `made by the workflow ${predicate.workflow}` }];
  const isSandboxed = !sandbox || predicate.sandbox === true;
  return [
    ...workflow,
    ...policy.phases.flatMap((name) => phaseProblems(predicate, name)),
    ...fourEyesProblem(policy, signed, signers),
    ...policy.forbidOverruled.flatMap((name) => overruledProblems(predicate, name)),
    ...(isSandboxed
      ? []
      : [{ rule: "sandbox", code: "NO_SANDBOX", text: "its agents were not in a sandbox" } as const]),
    ...(policy.adopted || predicate.adopted === undefined
      ? []
      : [{ rule: "adopted", code: "ADOPTED_WORK", text: "it adopted work that was made outside of isdlc" } as const]),
  ];
}

function fourEyesProblem({ fourEyes, people, servers }: Policy, signed: SignedStatement, known: readonly Signer[]) {
  if (!fourEyes) return [];
  const able = signed.signers.filter(({ signer }) => people?.includes(signer) !== false && !servers.includes(signer));
  const count = groupPeople(able, known).length;
  if (count >= 2) return [];
  const text = `${count === 0 ? "no permitted person" : "one person"} signed it, and two must`;
  return [{ rule: "fourEyes", code: "FOUR_EYES", text } as const];
}

/** Names of kinds of overruled results, and of isdlc's own checks. */
const KNOWN_NAMES = [
  "check",
  "review",
  "phase",
  "step",
  "supervision",
  "tests",
  "artifacts",
  "changed code",
  "shown as it is",
];

function overruledProblems({ overruled, phases }: RunPredicate, name: string): RuleProblem[] {
  const isCheck = phases.some(({ checks }) => checks.some((check) => check.name === name));
  if (!isCheck && !KNOWN_NAMES.includes(name))
    return [{ rule: "forbidOverruled", code: "CHECK_UNKNOWN", text: `it has no check ${name}` }];
  return overruled
    .filter((one) => one.what === name || (one.what === "check" && one.name === name))
    .map(({ what, name: of, phase, by }) => ({
      rule: "forbidOverruled",
      code: "OVERRULED",
      text: `${by.name} overruled ${what} ${of}${phase === null ? "" : ` in ${phase}`}`,
    }));
}

type PolicyPhase = RunPredicate["phases"][number];

/** Finds the phases with a key, with two digits, or `final`: the last accepted phase. */
function phasesNamed(predicate: RunPredicate, name: string): readonly PolicyPhase[] {
  const final = name === "final" ? lastAccepted(predicate) : undefined;
  if (final !== undefined) return [final];
  return predicate.phases.filter(({ key }) => key === name || phaseNumber(key) === name);
}

function phaseProblems(predicate: RunPredicate, name: string): RuleProblem[] {
  const problem = (text: string): RuleProblem => ({ rule: "phases", code: "PHASE_NOT_COMPLETED", text });
  const phases = phasesNamed(predicate, name);
  if (phases.length === 0) return [problem(`its plan has no phase ${name}`)];
  return phases
    .filter(({ status, accepted }) => status !== "completed" || accepted === null)
    .map(({ key, status }) => {
      const more = status === "completed" ? ", and not accepted" : "";
      return problem(`the phase ${key} is ${status.replace("_", " ")}${more}`);
    });
}

function* gateProblems(policy: Policy, run: UsableRun): QuestionSequence<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  const { predicate } = run.signed.statement;
  for (const name of policy.gates) {
    const phases = phasesNamed(predicate, name);
    if (phases.length === 0)
      problems.push({ rule: "gates", code: "GATE_NOT_ANSWERED", text: `its plan has no phase ${name}` });
    for (const phase of phases) {
      const [found] = gateProblem(policy, run.signed, phase);
      const isOfRun = found?.code === "GATE_NOT_ANSWERED" || (yield* hasStateTree(run, phase));
      problems.push(...(isOfRun ? (found === undefined ? [] : [found]) : [otherTree(phase)]));
    }
  }
  return problems;
}

const otherTree = ({ key }: PolicyPhase): RuleProblem => ({
  rule: "gates",
  code: "GATE_OF_OTHER_TREE",
  text: `the gate of ${key} showed other files than were accepted`,
});

/** True if the accepted tree of a phase is a state of the run, apart from record files. */
function* hasStateTree({ signed: { statement } }: UsableRun, { tree, commit }: PolicyPhase): QuestionSequence<boolean> {
  const { options, git, item } = statement.predicate;
  if (options.commits !== "phase") return true; // earlier states were not committed
  const own = statement.subject.find(({ digest }) => digest.gitCommit === commit)?.digest.gitTree;
  if (tree !== null && own !== undefined) return (yield* askRecordOnly(tree, own, item)) === true;
  const trees = statement.subject.map(({ digest }) => digest.gitTree);
  return tree !== null && [...trees, git.start.tree, ...git.others.map((one) => one.tree)].includes(tree);
}

/** Returns the first reason why a required gate does not count. */
function gateProblem(policy: Policy, signed: SignedStatement, phase: PolicyPhase): RuleProblem[] {
  const problem = (code: RuleCode, text: string): RuleProblem[] => [{ rule: "gates", code, text }];
  const last = phase.gates.at(-1);
  const by = phase.accepted?.by ?? "engine";
  if (by === "engine" || last?.decision !== "continue")
    return problem("GATE_NOT_ANSWERED", `no person accepted the gate of ${phase.key}`);
  if (last.tree === null || last.tree !== phase.tree) return [otherTree(phase)];
  if (last.broughtBy !== undefined)
    return problem(
      "GATE_REPORTED",
      `the gate of ${phase.key} has an answer from elsewhere, brought by ${last.broughtBy}`,
    );
  const opened = "a terminal that was opened while an agent was running";
  if (last.suspicious) return problem("GATE_SUSPICIOUS", `the answer for the gate of ${phase.key} came from ${opened}`);
  if (!isWitnessed(policy, signed, last))
    return problem("GATE_REPORTED", `the gate of ${phase.key} was reported by a server that did not sign`);
  return [...channelProblem(policy, phase, last), ...gateSignerProblem(policy, signed, phase)].slice(0, 1);
}

type PolicyGate = PolicyPhase["gates"][number];

/** False for an answer from a code host, unless a server of the policy signed the statement. */
function isWitnessed({ servers }: Policy, { signers }: SignedStatement, { reportedBy, evidence }: PolicyGate): boolean {
  const isReported = reportedBy !== undefined || evidence !== undefined;
  return !isReported || signers.some(({ signer }) => servers.includes(signer));
}

function channelProblem({ channels }: Policy, { key }: PolicyPhase, { by }: PolicyGate): RuleProblem[] {
  if (channels === undefined || channels.some((channel) => channel === by.channel)) return [];
  return [{ rule: "channels", code: "GATE_CHANNEL", text: `the gate of ${key} was answered by ${by.channel}` }];
}

function gateSignerProblem(policy: Policy, { gateSigners }: SignedStatement, phase: PolicyPhase): RuleProblem[] {
  const { people, passkeys } = policy;
  if (!passkeys) return [];
  const signers = gateSigners.filter((one) => one.phase === phase.key && one.gate === phase.gates.length - 1);
  const [first] = signers;
  if (first === undefined)
    return [
      {
        rule: "passkeys",
        code: "GATE_NOT_SIGNED",
        text: `the gate of ${phase.key} was not signed by a listed passkey`,
      },
    ];
  if (people === undefined || signers.some(({ signer }) => people.includes(signer))) return [];
  const text = `the gate of ${phase.key} was signed by ${first.signer}, who is not in people`;
  return [{ rule: "passkeys", code: "GATE_SIGNER_NOT_PERMITTED", text }];
}

/** Reports changes after the last required tree signed with a passkey. Only record files of the item may differ. */
function* signedTreeProblems(policy: Policy, { signed, last }: UsableRun): QuestionSequence<RuleProblem[]> {
  if (!policy.passkeys) return [];
  const { predicate } = signed.statement;
  const required = new Set(policy.gates.flatMap((name) => phasesNamed(predicate, name)).map(({ key }) => key));
  const isSigned = ({ key, gates }: PolicyPhase): boolean =>
    signed.gateSigners.some(({ phase, gate }) => phase === key && gate === gates.length - 1);
  const tree = predicate.phases.findLast((phase) => required.has(phase.key) && isSigned(phase))?.tree;
  if (tree === undefined) return [];
  const isSame = tree !== null && (yield* askRecordOnly(tree, last.tree, predicate.item)) === true;
  const text = "it has changes after the files that a passkey signed";
  return isSame ? [] : [{ rule: "passkeys", code: "AFTER_SIGNED_TREE", text }];
}

/** Groups signers by person. Signers that share a name or a key, directly or through others, are one person. */
export function groupPeople(signers: readonly Signer[], known: readonly Signer[] = signers): Signer[][] {
  const groups = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = groups.get(name);
    return parent === undefined || parent === name ? name : rootOf(parent);
  };
  for (const { signer, keyid } of [...known, ...signers]) groups.set(rootOf(`name ${signer}`), rootOf(`key ${keyid}`));
  const people = new Map<string, Signer[]>();
  for (const signer of signers) {
    const root = rootOf(`key ${signer.keyid}`);
    people.set(root, [...(people.get(root) ?? []), signer]);
  }
  return [...people.values()];
}
