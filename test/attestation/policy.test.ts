import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Coverage, CoveredCommit } from "../../src/core/attestation/coverage.ts";
import { findViolations } from "../../src/core/attestation/policy.ts";
import { readPolicy } from "../../src/core/attestation/read-policy.ts";
import type { SignedStatement } from "../../src/core/attestation/signed-statement.ts";
import type { CommitCode } from "../../src/core/attestation/verification-codes.ts";
import type { RunPredicate } from "../../src/schema/attestation.ts";
import { Policy } from "../../src/schema/policy.ts";
import { badgeText } from "../../src/views/attestation/badge.ts";
import { toSarif } from "../../src/views/attestation/sarif.ts";
import { verificationLines } from "../../src/views/attestation/verification.ts";
import { createStudio } from "./studio.ts";
import { lastState, statesIn } from "../../src/core/attestation/usable-runs.ts";

const { statement, made } = createStudio();
const ADA = { signer: "ada@example.org", keyid: "SHA256:ada" };
const BEN = { signer: "ben@example.org", keyid: "SHA256:ben" };

const signed = (change: Partial<RunPredicate> = {}, signers = [ADA]): SignedStatement => {
  const other = { ...statement, predicate: { ...statement.predicate, ...change } };
  return { statement: other, text: JSON.stringify(other), digest: "", signers, gateSigners: [] };
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
const coveredBy = (about: SignedStatement): Coverage => {
  const run = {
    run: about.statement.predicate.run,
    signed: about,
    states: statesIn(about.statement),
    last: lastState(about.statement),
    isSound: true,
  };
  return { by: "state", runs: [run] };
};
const uncovered = (code: CommitCode): CoveredCommit => commitWith({ by: null, code, detail: `it is ${code}` });

/** Broken rules, without answers to questions about files. */
function broken(
  policy: Readonly<Record<string, unknown>>,
  about: SignedStatement,
  commit = commitWith(coveredBy(about)),
): string[] {
  const facts = { policy: Policy.parse(policy), commits: [commit], signers: about.signers, isRepository: true };
  const search = findViolations(facts);
  let step = search.next();
  while (step.done !== true) step = search.next({ is: "unknown" });
  return step.value.map(({ rule, code }) => `${rule}: ${code}`);
}

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

/** Signed with the passkey of the named signer. */
const approvedBy = (signer: string): SignedStatement => ({
  ...signed(),
  gateSigners: [{ phase: implement.key, gate: implement.gates.length - 1, signer, keyid: "SHA256:passkey" }],
});

describe("policy", () => {
  test.for<[string, Readonly<Record<string, unknown>>, SignedStatement, string[]]>([
    ["accepts a statement without any rule", {}, signed(), []],
    ["accepts two signers for four eyes", { fourEyes: true }, signed({}, [ADA, BEN]), []],
    ["rejects one signer for four eyes", { fourEyes: true }, signed(), ["fourEyes: FOUR_EYES"]],
    [
      "rejects one person with two keys for four eyes",
      { fourEyes: true },
      signed({}, [ADA, { ...ADA, keyid: "SHA256:other" }]),
      ["fourEyes: FOUR_EYES"],
    ],
    [
      "rejects two names of one key for four eyes",
      { fourEyes: true },
      signed({}, [ADA, { ...BEN, keyid: ADA.keyid }]),
      ["fourEyes: FOUR_EYES"],
    ],
    [
      "rejects four eyes if one of two signers is permitted",
      { fourEyes: true, people: ["ada@example.org"] },
      signed({}, [ADA, BEN]),
      ["fourEyes: FOUR_EYES"],
    ],
    [
      "rejects four eyes if no signer is permitted",
      { fourEyes: true, people: ["eve@example.org"] },
      signed({}, [ADA, BEN]),
      ["fourEyes: FOUR_EYES"],
    ],
    ["accepts a permitted workflow", { workflows: ["change"] }, signed(), []],
    ["rejects another workflow", { workflows: ["feature"] }, signed(), ["workflows: WORKFLOW_NOT_ALLOWED"]],
    ["rejects a missing phase", { phases: ["06"] }, signed(), ["phases: PHASE_NOT_COMPLETED"]],
    [
      "rejects a skipped phase",
      { phases: ["implement"] },
      signed(phase({ status: "skipped" })),
      ["phases: PHASE_NOT_COMPLETED"],
    ],
    [
      "rejects a phase that was not accepted",
      { phases: ["implement"] },
      signed(phase({ accepted: null })),
      ["phases: PHASE_NOT_COMPLETED"],
    ],
    ["finds a gate by its digits", { gates: ["06"] }, signed(phase({ key: "06-implementation" })), []],
    ["accepts an answered gate", { gates: ["implement"] }, signed(), []],
    ["rejects a missing answer", { gates: ["implement"] }, signed(phase({ gates: [] })), ["gates: GATE_NOT_ANSWERED"]],
    [
      "rejects a gate accepted by the engine",
      { gates: ["implement"] },
      signed(phase({ accepted: { by: "engine", at } })),
      ["gates: GATE_NOT_ANSWERED"],
    ],
    [
      "rejects a gate last answered with redo",
      { gates: ["implement"] },
      signed(phase({ gates: [gate, { ...gate, decision: "redo" }] })),
      ["gates: GATE_NOT_ANSWERED"],
    ],
    [
      "rejects an answer from a suspicious terminal",
      { gates: ["implement"] },
      signed(phase({ gates: [{ ...gate, suspicious: true }] })),
      ["gates: GATE_SUSPICIOUS"],
    ],
    ["accepts a permitted channel", { gates: ["implement"], channels: ["terminal"] }, signed(), []],
    ["rejects another channel", { gates: ["implement"], channels: ["passkey"] }, signed(), ["channels: GATE_CHANNEL"]],
    ["accepts a passkey", { gates: ["implement"], passkeys: true }, approvedBy("ada@example.org"), []],
    ["rejects a missing passkey", { gates: ["implement"], passkeys: true }, signed(), ["passkeys: GATE_NOT_SIGNED"]],
    [
      "rejects a passkey at another gate",
      { gates: ["plan"], passkeys: true },
      approvedBy("ada@example.org"),
      ["passkeys: GATE_NOT_SIGNED"],
    ],
    [
      "rejects a passkey of a person without permission",
      { gates: ["implement"], passkeys: true, people: ["ada@example.org"] },
      approvedBy("ben@example.org"),
      ["passkeys: GATE_SIGNER_NOT_PERMITTED"],
    ],
    [
      "rejects overruled tests",
      { forbidOverruled: ["tests"] },
      signed({ overruled: [{ phase: "implement", what: "check", name: "tests", by, at }] }),
      ["forbidOverruled: OVERRULED"],
    ],
    [
      "rejects any overruled check",
      { forbidOverruled: ["check"] },
      signed({ overruled: [{ phase: "implement", what: "check", name: "artifacts", by, at }] }),
      ["forbidOverruled: OVERRULED"],
    ],
    [
      "accepts an overruled step that is not forbidden",
      { forbidOverruled: ["tests"] },
      signed({ overruled: [{ phase: null, what: "step", name: "commit", by, at }] }),
      [],
    ],
    ["accepts a run in a sandbox", { sandbox: true }, signed(), []],
    ["rejects a run without a sandbox", { sandbox: true }, signed({ sandbox: false }), ["sandbox: NO_SANDBOX"]],
    ["rejects a run with an unknown sandbox", { sandbox: true }, signed({ sandbox: null }), ["sandbox: NO_SANDBOX"]],
  ])("%s", ([, policy, about, expected]) => {
    expect(broken(policy, about)).toEqual(expected);
  });

  test.for<[CommitCode, number, number]>([
    ["BY_HAND", 1, 0],
    ["AGENT", 1, 1],
    ["CHANGED", 1, 1],
    ["UNSIGNED", 1, 1],
    ["SIGNER_UNKNOWN", 1, 1],
    ["NOT_BY_RUN", 1, 1],
  ])("counts an uncovered commit (%s) %i times under all, %i under agents", ([code, all, agents]) => {
    expect(broken({ commits: "all" }, signed(), uncovered(code))).toHaveLength(all);
    expect(broken({ commits: "agents" }, signed(), uncovered(code))).toHaveLength(agents);
  });

  test("ignores a statement that covers no commit", () => {
    expect(broken({ sandbox: true }, signed({ sandbox: false }), commitWith({ by: "merge", isMoved: false }))).toEqual(
      [],
    );
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
  ])("is invalid with %j", ([policy]) => {
    expect(readPolicy(JSON.stringify(policy)).is).toBe("invalid");
  });

  test.for([
    '{ "gates": ["final"], "gates": [] }',
    '{ "gates": ["final"], "g\\u0061tes": [] }',
    '{ "revokedSigners": [{ "key": "a", "key": "b" }] }',
    "{",
    "[]",
  ])("is invalid with duplicate keys: %s", (text) => {
    expect(readPolicy(text).is).toBe("invalid");
  });

  test("accepts values that repeat names of keys", () => {
    const text = '{ "gates": ["gates", "people"], "people": ["gates", "a:b", "\\"people\\": "] }';
    expect(readPolicy(text)).toMatchObject({ is: "policy", policy: { gates: ["gates", "people"] } });
  });

  test("accepts the policy shipped with the project, which requires each final gate", () => {
    const text = readFileSync(join(import.meta.dirname, "../../ci/isdlc-policy.json"), "utf8");
    expect(readPolicy(text)).toMatchObject({ is: "policy", policy: { commits: "all", gates: ["final"] } });
  });
});

describe("output of a verification", () => {
  const about = signed({ overruled: [{ phase: "implement", what: "check", name: "tests", by, at }] }, [ADA, BEN]);
  const facts = {
    named: "main..work",
    commits: [commitWith(coveredBy(about)), uncovered("AGENT")],
    statements: [about],
    refused: [{ code: "SIGNER_UNKNOWN" as const, commits: [made[0].commit], why: "it is \u001b[31mred", run: null }],
    violations: [
      {
        rule: "commits" as const,
        code: "AGENT" as const,
        commit: made[1].commit,
        run: null,
        text: "it is by an agent",
      },
    ],
  };

  test("lists commits, gates, overruled checks and rejected statements", () => {
    const text = verificationLines(facts).join("\n");
    for (const expected of [
      "main..work: 1 of 2 commits covered (2 gates, 2 people, 214 tests)",
      "NOT COVERED  Work  AGENT: it is AGENT",
      "by ada@example.org, ben@example.org",
      "gate implement: continue by Ada (terminal) 2026-11-01 10:40",
      "overruled: check tests in implement, by Ada",
      "sandbox: on",
      "SIGNER_UNKNOWN",
      "it is ␛[31mred",
      "The policy is not kept:",
    ])
      expect(text).toContain(expected);
    expect(text).not.toContain("\u001b");
  });

  test("counts people who signed in the badge, and only counted tests", () => {
    expect(badgeText([signed()])).toBe("2 gates, 1 person, 214 tests");
    const uncounted = signed({ phases: phases.map((one) => ({ ...one, checks: [] })) });
    expect(badgeText([uncounted])).toBe("2 gates, 1 person");
    expect(badgeText([])).toBe("0 gates, 0 people");
    expect(badgeText([signed({}, [ADA, BEN])], ["ben@example.org"])).toBe("2 gates, 1 person, 214 tests");
  });

  test("has a SARIF error per violation and a warning per rejected statement", () => {
    const { runs, version } = toSarif(facts, "1.2.3");
    const [run] = runs;
    expect(version).toBe("2.1.0");
    expect(run.tool.driver).toMatchObject({ name: "isdlc", version: "1.2.3" });
    expect(run.results.map(({ level, ruleId }) => `${level} ${ruleId}`)).toEqual(["error commits", "warning refused"]);
    const rules = new Set(run.tool.driver.rules.map(({ id }) => id));
    expect(run.results.every(({ ruleId, locations }) => rules.has(ruleId) && locations.length === 1)).toBe(true);
  });
});
