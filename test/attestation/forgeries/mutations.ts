import { ADOPTED, type RunPredicate, type RunStatement } from "../../../src/schema/attestation.ts";
import type { Dice } from "../../support/dice.ts";

type Change = (statement: RunStatement, dice: Dice) => unknown;

const inPredicate =
  (change: (predicate: RunPredicate, dice: Dice) => object): Change =>
  ({ predicate, ...rest }, dice) => ({
    ...rest,
    predicate: { ...predicate, ...change(predicate, dice) },
  });
const inPhases = (change: object) =>
  inPredicate(({ phases }) => ({ phases: phases.map((phase) => ({ ...phase, ...change })) }));
const inGates = (change: object) =>
  inPredicate(({ phases }) => ({
    phases: phases.map((phase) => ({ ...phase, gates: phase.gates.map((gate) => ({ ...gate, ...change })) })),
  }));

const withAdopted = (states: RunPredicate["states"], at: number) =>
  states.map((state, index) => (index === at ? { ...state, is: "adopted" } : state));

const OTHER = "1".repeat(40);
const WHO = { name: "Ada", channel: "terminal" } as const;
const AT = "2026-11-01T10:40:00.000Z";

/** Changes of a statement before signing: dropped, swapped, re-timed and re-labelled parts. */
const CHANGES: readonly Change[] = [
  inPredicate(() => ({ endedAt: null, finish: null })),
  inPredicate(() => ({ endedAt: null, sealedAt: AT, finish: "pr" })),
  inPredicate(() => ({ endedAt: null, sealedAt: AT, finish: null })),
  inPredicate(() => ({ finish: null })),
  inPredicate(() => ({ finish: "discard" })),
  inPredicate(() => ({ signedAt: "2126-01-01T00:00:00.000Z" })),
  inPredicate(() => ({ signedAt: "2026-11-01T10:16:00.000Z", endedAt: "2026-11-01T10:15:30.000Z" })),
  inPredicate(() => ({ signedAt: "2026-11-01T11:00:60.000Z" })),
  inPredicate(() => ({ startedAt: "2026-11-01T10:59:59Z" })),
  inPredicate(() => ({ startedAt: "2026-11-02T10:15:00.1Z" })),
  inPredicate(() => ({ endedAt: "2026-11-01T10:00:00.000Z" })),
  inPredicate(() => ({ sandbox: false })),
  inPredicate(() => ({ sandbox: null })),
  inPredicate(() => ({ adopted: ADOPTED })),
  inPredicate(({ states }) => ({ adopted: ADOPTED, states: states.map((state) => ({ ...state, is: "adopted" })) })),
  inPredicate(({ states }) => ({ adopted: ADOPTED, states: withAdopted(states, 0) })),
  inPredicate(({ states }) => ({ adopted: ADOPTED, states: withAdopted(states, 1) })),
  inPredicate(({ states }) => ({ states: withAdopted(states, 0) })),
  inPredicate(() => ({ workflow: "fix" })),
  inPredicate(() => ({ item: ".isdlc/work/x" })),
  inPredicate(() => ({ approved: true })),
  inPredicate(() => ({ usage: { input: null } })),
  inPredicate(({ journal }) => ({ journal: { ...journal, mark: "x" } })),
  inPredicate(({ states }) => ({ states: states.slice(1) })),
  inPredicate(({ states }) => ({ states: states.map((state) => ({ ...state, is: "merge" })) })),
  inPredicate(({ states }) => ({
    states: states.map((state, index) => (index === 0 ? { ...state, parents: [OTHER] } : state)),
  })),
  inPredicate(({ states }) => ({ states: states.toReversed() })),
  inPredicate(({ git }) => ({ git: { ...git, start: { ...git.start, tree: OTHER } } })),
  inPredicate(({ git, states }) => ({
    git: { ...git, others: [...git.others, { commit: states[0]?.parents[0] ?? OTHER, tree: OTHER }] },
  })),
  inPredicate(({ phases }) => ({ phases: phases.slice(0, -1) })),
  inPredicate(({ phases }) => ({ phases: phases.toReversed() })),
  inPredicate(({ phases }) => ({ phases: [...phases, ...phases.slice(0, 1)] })),
  inPredicate(() => ({ overruled: [{ phase: null, what: "check", name: "tests", by: WHO, at: AT }] })),
  inPredicate(() => ({ overruled: [{ phase: null, what: "review", name: "codex", by: WHO, at: AT }] })),
  inPhases({ accepted: null }),
  inPhases({ accepted: { by: "engine", at: AT } }),
  inPhases({ status: "skipped" }),
  inPhases({ tree: OTHER }),
  inPhases({ commit: OTHER }),
  inPhases({ commit: null }),
  inPhases({ gates: [] }),
  inPhases({ checks: [] }),
  inGates({ tree: OTHER }),
  inGates({ tree: null }),
  inGates({ decision: "redo" }),
  inGates({ suspicious: true }),
  inGates({ reportedBy: "server@example.org" }),
  inGates({ by: { name: "Ada", channel: "token" } }),
  ({ subject, ...rest }) => ({ ...rest, subject: subject.toReversed() }),
  ({ subject, ...rest }) => ({ ...rest, subject: subject.slice(1) }),
  ({ subject, ...rest }) => ({ ...rest, subject: [...subject, ...subject] }),
  ({ subject, ...rest }) => ({
    ...rest,
    subject: subject.map((one) => ({ ...one, digest: { ...one.digest, gitTree: OTHER } })),
  }),
  ({ subject, ...rest }) => ({
    ...rest,
    subject: subject.map((one) => ({ ...one, name: "20260101-000000000-aaaa/x#1" })),
  }),
  (statement) => ({ ...statement, predicateType: "urn:isdlc:attestation:run:v2" }),
  (statement) => ({ ...statement, _type: "https://in-toto.io/Statement/v0.1" }),
];

/** Text of the payload: mostly true. */
export function mutateStatement(dice: Dice, statement: RunStatement): string {
  if (dice.chance(65)) return JSON.stringify(statement);
  return JSON.stringify(dice.of(CHANGES)(statement, dice));
}

/** A change of an otherwise honest history, with a policy that it breaks. */
export type RuleBreach = {
  readonly change: Change;
  readonly policy: Readonly<Record<string, unknown>>;
  /** Owner of the passkey that signs the gates. */
  readonly passkey?: "ada" | "ben";
};

const gates = ["final"];
const keep: Change = (statement) => statement;

export const BREACHES: readonly RuleBreach[] = [
  { change: inGates({ suspicious: true }), policy: { gates } },
  { change: inGates({ tree: OTHER }), policy: { gates } },
  { change: inGates({ tree: null }), policy: { gates } },
  { change: inGates({ reportedBy: "server@example.org" }), policy: { gates, servers: ["server@example.org"] } },
  { change: inGates({ decision: "redo" }), policy: { gates } },
  { change: inGates({ by: { name: "Ada", channel: "token" } }), policy: { gates, channels: ["terminal"] } },
  { change: inPhases({ accepted: { by: "engine", at: AT } }), policy: { gates: ["01"] } },
  { change: inPredicate(() => ({ sandbox: false })), policy: { sandbox: true } },
  { change: inPredicate(() => ({ adopted: ADOPTED })), policy: { adopted: false } },
  { change: inPredicate(() => ({ workflow: "fix" })), policy: { workflows: ["feature"] } },
  {
    change: inPredicate(() => ({ overruled: [{ phase: null, what: "check", name: "tests", by: WHO, at: AT }] })),
    policy: { forbidOverruled: ["tests"] },
  },
  { change: keep, policy: { forbidOverruled: ["lint"] } },
  { change: keep, policy: { gates, passkeys: true } },
  { change: keep, policy: { gates, passkeys: true, people: ["ada@example.org"] }, passkey: "ben" },
  { change: keep, policy: { gates: ["01"], passkeys: true }, passkey: "ada" },
  { change: inPhases({ tree: OTHER }), policy: { gates } },
  { change: keep, policy: { fourEyes: true } },
  { change: keep, policy: { phases: ["09"] } },
];

type PolicyFacts = { readonly root: string; readonly commit: string };

/** A policy that is readable. */
export function mutatePolicy(dice: Dice, { root, commit }: PolicyFacts): Readonly<Record<string, unknown>> {
  const policy: Record<string, unknown> = {};
  const sometimes = (percent: number, rule: string, value: unknown): void => {
    if (dice.chance(percent)) policy[rule] = value;
  };
  sometimes(45, "gates", [dice.of(["final", "01", "02", "01-implement1", "final", "07"])]);
  sometimes(12, "people", dice.of([["ada@example.org"], ["ben@example.org"], ["ada@example.org", "ben@example.org"]]));
  sometimes(12, "servers", ["server@example.org"]);
  sometimes(6, "openRuns", true);
  sometimes(12, "movedBase", dice.of(["never", "carried"]));
  sometimes(8, "revokedSigners", [{ key: "KEY:ada", lastCommit: dice.of([commit, root, "2".repeat(40)]) }]);
  sometimes(8, "workflows", ["feature"]);
  sometimes(8, "phases", [dice.of(["01", "final", "02", "09"])]);
  sometimes(8, "fourEyes", true);
  sometimes(20, "forbidOverruled", [dice.of(["check", "tests", "review", "lint"])]);
  sometimes(8, "sandbox", true);
  sometimes(20, "adopted", false);
  sometimes(6, "repository", dice.of([root, commit]));
  if (policy["gates"] !== undefined) {
    sometimes(12, "channels", [dice.of(["terminal", "passkey"])]);
    sometimes(15, "passkeys", true);
    sometimes(25, "commits", "agents");
  }
  return policy;
}
