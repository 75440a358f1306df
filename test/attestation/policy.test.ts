import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CoveredCommit, SignedStatement, Uncovered } from "../../src/core/attestation/coverage.ts";
import { violationsOf } from "../../src/core/attestation/policy.ts";
import { readPolicy } from "../../src/core/attestation/read-policy.ts";
import type { RunPredicate } from "../../src/schema/attestation.ts";
import { Policy } from "../../src/schema/policy.ts";
import { badgeText } from "../../src/views/attestation/badge.ts";
import { sarifOf } from "../../src/views/attestation/sarif.ts";
import { verificationLines } from "../../src/views/attestation/verification.ts";
import { createStudio } from "./studio.ts";

const { statement, made } = createStudio();
const ADA = { signer: "ada@example.org", keyid: "SHA256:ada" };
const BEN = { signer: "ben@example.org", keyid: "SHA256:ben" };

const signed = (change: Partial<RunPredicate> = {}, signers = [ADA]): SignedStatement => {
  const other = { ...statement, predicate: { ...statement.predicate, ...change } };
  return { statement: other, text: JSON.stringify(other), signers, gateSigners: [] };
};

function commitWith(coverage: CoveredCommit["coverage"]): CoveredCommit {
  const seen = {
    parents: [],
    committedAt: 0,
    author: "",
    committer: "",
    subject: "Work",
    trailers: [],
    message: "",
    attempts: [],
  };
  return { commit: { ...made[1], ...seen }, coverage };
}
const covered = commitWith({ by: "commit", run: statement.predicate.run, attempt: "implement#1" });
const uncovered = (why: Uncovered): CoveredCommit => commitWith({ by: null, why, detail: `it is ${why}` });

const broken = (policy: Readonly<Record<string, unknown>>, about: SignedStatement, commit = covered): string[] =>
  violationsOf(Policy.parse(policy), { commits: [commit], statements: [about] }).map(
    ({ rule, text }) => `${rule}: ${text}`,
  );

const { phases } = statement.predicate;
const [plan, implement] = phases;
if (plan === undefined || implement === undefined) throw new Error("the statement has no phases");
const gate = implement.gates[0];
if (gate === undefined) throw new Error("the statement has no gate");
const by = { name: "Ada", channel: "terminal" } as const;
const at = "2026-11-01T10:00:00.000Z";
const phase = (change: Partial<typeof implement>): Partial<RunPredicate> => ({
  phases: [plan, { ...implement, ...change }],
});

/** Signed by the passkey of somebody, as the list names them. */
const approvedBy = (signer: string): SignedStatement => ({
  ...signed(),
  gateSigners: [{ wait: gate.wait, decision: gate.decision, signer, keyid: "SHA256:passkey" }],
});

describe("a policy is kept or not:", () => {
  test.for<[string, Readonly<Record<string, unknown>>, SignedStatement, string[]]>([
    ["nothing asked", {}, signed(), []],
    ["a person who may", { people: ["ada@example.org"] }, signed(), []],
    [
      "one who may not",
      { people: ["ben@example.org"] },
      signed(),
      ["people: vouched for by ada@example.org, who may not"],
    ],
    ["one who may beside one who may not", { people: ["ben@example.org"] }, signed({}, [ADA, BEN]), []],
    ["four eyes of two", { fourEyes: true }, signed({}, [ADA, BEN]), []],
    ["four eyes of one", { fourEyes: true }, signed(), ["fourEyes: one person vouches for it, and two must"]],
    [
      "one person with two keys",
      { fourEyes: true },
      signed({}, [ADA, { ...ADA, keyid: "SHA256:other" }]),
      ["fourEyes: one person vouches for it, and two must"],
    ],
    [
      "two names for one key",
      { fourEyes: true },
      signed({}, [ADA, { ...BEN, keyid: ADA.keyid }]),
      ["fourEyes: one person vouches for it, and two must"],
    ],
    [
      "two, of whom one may",
      { fourEyes: true, people: ["ada@example.org"] },
      signed({}, [ADA, BEN]),
      ["fourEyes: one person vouches for it, and two must"],
    ],
    [
      "two, of whom none may",
      { fourEyes: true, people: ["eve@example.org"] },
      signed({}, [ADA, BEN]),
      ["fourEyes: nobody who may vouches for it, and two must"],
    ],
    ["a workflow that may", { workflows: ["change"] }, signed(), []],
    ["one that may not", { workflows: ["feature"] }, signed(), ["workflows: made by the workflow change"]],
    ["a phase that is done", { phases: ["implement"] }, signed(), []],
    ["one that is not there", { phases: ["06"] }, signed(), ["phases: its plan has no phase 06"]],
    [
      "one that was skipped",
      { phases: ["implement"] },
      signed(phase({ status: "skipped" })),
      ["phases: the phase implement is skipped"],
    ],
    [
      "one that is not accepted",
      { phases: ["implement"] },
      signed(phase({ accepted: null })),
      ["phases: the phase implement is completed, and not accepted"],
    ],
    ["a gate by its digits", { gates: ["06"] }, signed(phase({ key: "06-implementation" })), []],
    ["a gate that was answered", { gates: ["implement"] }, signed(), []],
    [
      "one that nobody answered",
      { gates: ["implement"] },
      signed(phase({ gates: [] })),
      ["gates: no person answered the gate of implement"],
    ],
    [
      "one that the engine went through",
      { gates: ["implement"] },
      signed(phase({ accepted: { by: "engine", at } })),
      ["gates: no person answered the gate of implement"],
    ],
    [
      "one that was answered with redo last",
      { gates: ["implement"] },
      signed(phase({ gates: [gate, { ...gate, decision: "redo" }] })),
      ["gates: no person answered the gate of implement"],
    ],
    [
      "one from a suspicious terminal",
      { gates: ["implement"] },
      signed(phase({ gates: [{ ...gate, suspicious: true }] })),
      ["gates: the gate of implement was answered from a terminal opened while an agent was at work"],
    ],
    ["a channel that may", { gates: ["implement"], channels: ["terminal"] }, signed(), []],
    [
      "one that may not",
      { gates: ["implement"], channels: ["passkey"] },
      signed(),
      ["gates: the gate of implement was answered by terminal"],
    ],
    ["a passkey that counts", { gates: ["implement"], passkeys: true }, approvedBy("ada@example.org"), []],
    [
      "none",
      { gates: ["implement"], passkeys: true },
      signed(),
      ["passkeys: the gate of implement was not signed with a passkey of somebody on the list"],
    ],
    [
      "one at another gate",
      { gates: ["plan"], passkeys: true },
      approvedBy("ada@example.org"),
      ["passkeys: the gate of plan was not signed with a passkey of somebody on the list"],
    ],
    [
      "one of somebody who may not",
      { gates: ["implement"], passkeys: true, people: ["ada@example.org"] },
      approvedBy("ben@example.org"),
      ["passkeys: the gate of implement was signed by ben@example.org, who may not"],
    ],
    [
      "a test that was overruled",
      { forbidOverruled: ["tests"] },
      signed({ overruled: [{ phase: "implement", what: "check", name: "tests", by, at }] }),
      ["forbidOverruled: Ada went on over check tests in implement"],
    ],
    [
      "any check",
      { forbidOverruled: ["check"] },
      signed({ overruled: [{ phase: "implement", what: "check", name: "artifacts", by, at }] }),
      ["forbidOverruled: Ada went on over check artifacts in implement"],
    ],
    [
      "another one than was asked about",
      { forbidOverruled: ["tests"] },
      signed({ overruled: [{ phase: null, what: "step", name: "commit", by, at }] }),
      [],
    ],
    ["a sandbox", { sandbox: true }, signed(), []],
    ["none", { sandbox: true }, signed({ sandbox: false }), ["sandbox: its agents were not in a sandbox"]],
    ["nobody knows", { sandbox: true }, signed({ sandbox: null }), ["sandbox: its agents were not in a sandbox"]],
  ])("%s", ([, policy, about, expected]) => {
    expect(broken(policy, about)).toEqual(expected);
  });

  test.for<[Uncovered, number, number]>([
    ["person", 1, 0],
    ["agent", 1, 1],
    ["changed", 1, 1],
    ["unsigned", 1, 1],
    ["refused", 1, 1],
    ["beside", 1, 1],
  ])(
    "an uncovered commit (%s) breaks it %i times where all must be covered, %i where those of agents must",
    ([why, all, agents]) => {
      expect(broken({ commits: "all" }, signed(), uncovered(why))).toHaveLength(all);
      expect(broken({ commits: "agents" }, signed(), uncovered(why))).toHaveLength(agents);
    },
  );

  test("a statement that no commit relies on is not held against it", () => {
    expect(broken({ sandbox: true }, signed({ run: "20260101-000000000-aaaa", sandbox: false }))).toEqual([]);
  });

  test.for<[Readonly<Record<string, unknown>>]>([
    [{ fourEys: true }],
    [{ sandbox: "yes" }],
    [{ channels: ["shouting"] }],
    [{ commits: "none" }],
    [{ gates: "all" }],
    [{ channels: ["terminal"] }],
    [{ passkeys: true }],
    [{ gates: ["final"], origins: ["https://example.org"] }],
    [{ commits: "agents" }],
    [{ commits: "agents", gates: [] }],
    [{ people: [] }],
    [{ gates: ["final"], channels: [] }],
  ])("%j is no policy", ([policy]) => {
    expect(readPolicy(JSON.stringify(policy)).is).toBe("invalid");
  });

  test.for([
    '{ "gates": ["final"], "gates": [] }',
    '{ "gates": ["final"], "g\\u0061tes": [] }',
    '{ "revokedSigners": [{ "key": "a", "key": "b" }] }',
    "{",
    "[]",
  ])("%s is no policy", (text) => {
    expect(readPolicy(text).is).toBe("invalid");
  });

  test("reads a policy whose values repeat names of keys", () => {
    const text = '{ "gates": ["gates", "people"], "people": ["gates", "a:b", "\\"people\\": "] }';
    expect(readPolicy(text)).toMatchObject({ is: "policy", policy: { gates: ["gates", "people"] } });
  });

  test("reads the policy that the project ships, which requires the final gate of every commit", () => {
    const text = readFileSync(join(import.meta.dirname, "../../ci/isdlc-policy.json"), "utf8");
    expect(readPolicy(text)).toMatchObject({ is: "policy", policy: { commits: "all", gates: ["final"] } });
  });
});

describe("what is shown:", () => {
  const facts = {
    named: "main..work",
    commits: [covered, uncovered("agent")],
    statements: [signed({ overruled: [{ phase: "implement", what: "check", name: "tests", by, at }] }, [ADA, BEN])],
    refused: [{ object: made[0].commit, why: "it is \u001b[31mred", run: null }],
    violations: violationsOf(Policy.parse({}), { commits: [covered, uncovered("agent")], statements: [] }),
  };

  test("the table names commits, gates, what was overruled and what is not believed", () => {
    const text = verificationLines(facts).join("\n");
    for (const expected of [
      "main..work: 1 of 2 commits covered (2 gates, 3 people, 214 tests)",
      "NOT COVERED  Work  it is agent",
      "by ada@example.org, ben@example.org",
      "gate implement: continue by Ada (terminal) 2026-11-01 10:40",
      "overruled: check tests in implement, by Ada",
      "sandbox: on",
      "it is ␛[31mred",
      "The policy is not kept:",
    ])
      expect(text).toContain(expected);
    expect(text).not.toContain("\u001b");
  });

  test("the badge says who and how much, and nothing of tests that nobody counted", () => {
    expect(badgeText([{ statement, signers: ["Ada"] }])).toBe("2 gates, 1 person, 214 tests");
    const uncounted = signed({ phases: phases.map((one) => ({ ...one, checks: [] })) });
    expect(badgeText([{ statement: uncounted.statement, signers: [] }])).toBe("2 gates, 1 person");
    expect(badgeText([])).toBe("0 gates, 0 people");
  });

  test("SARIF has an error for each violation and a warning for each statement that is not believed", () => {
    const { runs, version } = sarifOf(facts, "1.2.3");
    const [run] = runs;
    expect(version).toBe("2.1.0");
    expect(run.tool.driver).toMatchObject({ name: "isdlc", version: "1.2.3" });
    expect(run.results.map(({ level, ruleId }) => `${level} ${ruleId}`)).toEqual(["error commits", "warning refused"]);
    const rules = new Set(run.tool.driver.rules.map(({ id }) => id));
    expect(run.results.every(({ ruleId, locations }) => rules.has(ruleId) && locations.length === 1)).toBe(true);
  });
});
