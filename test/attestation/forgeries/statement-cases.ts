import { ADOPTED } from "../../../src/schema/attestation.ts";
import type { LineCode, RuleCode } from "../../../src/core/attestation/verification-codes.ts";

type Edit = readonly [path: string, value: unknown];

/** A change of a true statement before it is signed, and the code of the line. Null: the statement counts. */
export type StatementCase = {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly code: LineCode | null;
  /** Code of a commit if the line itself has none. */
  readonly commit?: string;
};

const OTHER = "1".repeat(40);
const line = (code: LineCode, name: string, ...edits: readonly Edit[]): StatementCase => ({ name, edits, code });
const at = (time: string): string => `2026-11-01T${time}Z`;

/** Paths are those of the payload; an undefined value removes the field. */
export const STATEMENT_CASES: readonly StatementCase[] = [
  line("STATEMENT_INVALID", "another statement type", ["_type", "https://in-toto.io/Statement/v0.1"]),
  line("STATEMENT_INVALID", "no statement type", ["_type", undefined]),
  line("TYPE_UNKNOWN", "a newer predicate type", ["predicateType", "urn:isdlc:attestation:run:v2"]),
  line("TYPE_UNKNOWN", "a predicate type with another case", ["predicateType", "URN:isdlc:attestation:run:v1"]),
  line("TYPE_UNKNOWN", "no predicate type", ["predicateType", undefined]),
  line("NEWER_VERSION", "an unknown field of the statement", ["note", "x"]),
  line("NEWER_VERSION", "an unknown field of the predicate", ["predicate.approved", true]),
  line("NEWER_VERSION", "an unknown field of a subject", ["subject.0.uri", "x"]),
  line("NEWER_VERSION", "an unknown digest", ["subject.0.digest.sha1", OTHER]),
  line("NEWER_VERSION", "an unknown field of git", ["predicate.git.remote", "x"]),
  line("NEWER_VERSION", "an unknown field of a state", ["predicate.states.0.squashed", true]),
  line("NEWER_VERSION", "an unknown field of a phase", ["predicate.phases.0.waived", true]),
  line("NEWER_VERSION", "an unknown field of a gate", ["predicate.phases.0.gates.0.delegate", "x"]),
  line("NEWER_VERSION", "an unknown field of the person at a gate", ["predicate.phases.0.gates.0.by.role", "x"]),
  line("NEWER_VERSION", "an unknown field of an acceptance", ["predicate.phases.0.accepted.why", "x"]),
  line("NEWER_VERSION", "an unknown field of the accepting person", ["predicate.phases.0.accepted.by.role", "x"]),
  line("NEWER_VERSION", "an unknown field of a check", ["predicate.phases.0.checks.0.waived", true]),
  line("NEWER_VERSION", "an unknown field of the usage", ["predicate.usage.total", 1]),
  line("NEWER_VERSION", "an unknown field and a missing one", ["predicate.extra", 1], ["predicate.run", undefined]),
  line("STATEMENT_INVALID", "no subject", ["subject", []]),
  line("STATEMENT_INVALID", "a subject that is not a list", ["subject", {}]),
  line("STATEMENT_INVALID", "a short commit id", ["subject.0.digest.gitCommit", "1234567"]),
  line("STATEMENT_INVALID", "a commit id in capitals", ["subject.0.digest.gitCommit", "A".repeat(40)]),
  line("STATEMENT_INVALID", "no tree", ["subject.0.digest.gitTree", undefined]),
  line("STATEMENT_INVALID", "no run", ["predicate.run", undefined]),
  line("STATEMENT_INVALID", "a run with a path", ["predicate.run", "../20261101-101500123-k3f0"]),
  line("STATEMENT_INVALID", "an unknown state", ["predicate.states.0.is", "approved"]),
  line("STATEMENT_INVALID", "states that are null", ["predicate.states", null]),
  line("STATEMENT_INVALID", "an unknown decision", ["predicate.phases.0.gates.0.decision", "accept"]),
  line("STATEMENT_INVALID", "an unknown channel", ["predicate.phases.0.gates.0.by.channel", "agent"]),
  line("STATEMENT_INVALID", "a suspicion that is not a boolean", ["predicate.phases.0.gates.0.suspicious", "no"]),
  line("STATEMENT_INVALID", "an unknown status", ["predicate.phases.0.status", "approved"]),
  line("STATEMENT_INVALID", "an acceptance by an unknown word", ["predicate.phases.0.accepted.by", "human"]),
  line("STATEMENT_INVALID", "an unknown finish", ["predicate.finish", "push"]),
  line("STATEMENT_INVALID", "a fraction as journal number", ["predicate.journal.seq", 1.5]),
  line("STATEMENT_INVALID", "a 60th second at signing", ["predicate.signedAt", at("11:00:60")]),
  line("STATEMENT_INVALID", "a 24th hour", ["predicate.endedAt", at("24:00:00")]),
  line("STATEMENT_INVALID", "the 31st of November", ["predicate.signedAt", "2026-11-31T00:00:00Z"]),
  line("STATEMENT_INVALID", "the 29th of February of a common year", ["predicate.startedAt", "2026-02-29T00:00:00Z"]),
  line("STATEMENT_INVALID", "a time with an offset", ["predicate.signedAt", "2026-11-01T11:00:05+00:00"]),
  line("STATEMENT_INVALID", "a time without a zone", ["predicate.signedAt", "2026-11-01T11:00:05"]),
  line("STATEMENT_INVALID", "a time as a number", ["predicate.signedAt", 1_793_530_805]),
  line("STATEMENT_INVALID", "other digits in a time", ["predicate.signedAt", "٢026-11-01T11:00:05Z"]),
  line("STATEMENT_INVALID", "no signing time", ["predicate.signedAt", undefined]),
  line("STATEMENT_INVALID", "another text about adopted work", ["predicate.adopted", "reviewed"]),
  line("STATEMENT_CONTRADICTORY", "an adopted state of a run that adopted nothing", [
    "predicate.states.0.is",
    "adopted",
  ]),
  line(
    "STATEMENT_CONTRADICTORY",
    "an adopted state after another one",
    ["predicate.states.1.is", "adopted"],
    ["predicate.adopted", ADOPTED],
  ),
  line("SIGNED_IN_FUTURE", "a signature of next year", ["predicate.signedAt", "2027-11-01T11:00:05Z"]),
  line("SIGNED_IN_FUTURE", "a signature in the year 9999", ["predicate.signedAt", "9999-12-31T23:59:59Z"]),
  line("STATEMENT_CONTRADICTORY", "a start after the signature", ["predicate.startedAt", at("12:00:00")]),
  line("STATEMENT_CONTRADICTORY", "an end after the signature", ["predicate.endedAt", at("12:00:00")]),
  line("STATEMENT_CONTRADICTORY", "an end a millisecond after it", ["predicate.endedAt", at("11:00:05.001")]),
  line("STATEMENT_CONTRADICTORY", "a seal after the signature", ["predicate.sealedAt", at("12:00:00")]),
  line("STATEMENT_CONTRADICTORY", "an end before the start", ["predicate.endedAt", at("10:00:00")]),
  line(
    "STATEMENT_CONTRADICTORY",
    "a seal without a finish",
    ["predicate.sealedAt", at("10:59:00")],
    ["predicate.finish", null],
  ),
  line("STATEMENT_CONTRADICTORY", "fewer states than commits", ["predicate.states.1", "REMOVE"]),
  line(
    "STATEMENT_CONTRADICTORY",
    "only merges",
    ["predicate.states.0.is", "merge"],
    ["predicate.states.1.is", "merge"],
  ),
  line("STATEMENT_CONTRADICTORY", "a merge before a state", ["predicate.states.0.is", "merge"]),
  line("STATEMENT_CONTRADICTORY", "a duplicate commit", ["subject.1", "COPY subject.0"]),
  line("STATEMENT_CONTRADICTORY", "a start that is a commit of the run", ["predicate.git.start", "POINT 0"]),
  line("STATEMENT_CONTRADICTORY", "a commit as made and not made", ["predicate.git.others", ["POINT 0"]]),
  line("STATEMENT_CONTRADICTORY", "a state without a parent", ["predicate.states.0.parents", []]),
  line("STATEMENT_CONTRADICTORY", "a state with two parents", ["predicate.states.1.parents", [OTHER, OTHER]]),
  line("STATEMENT_CONTRADICTORY", "a state on an unknown commit", ["predicate.states.1.parents", [OTHER]]),
  line("STATEMENT_CONTRADICTORY", "a duplicate phase", ["predicate.phases.1", "COPY predicate.phases.0"]),
  line("STATEMENT_CONTRADICTORY", "a phase with a foreign commit", ["predicate.phases.0.commit", OTHER]),
  line("STATEMENT_UNTRUE", "another tree than the commit has", ["subject.0.digest.gitTree", OTHER]),
  line("STATEMENT_UNTRUE", "the tree of another state", ["subject.0.digest.gitTree", "TREE 1"]),
  line(
    "STATEMENT_UNTRUE",
    "a signature before the commits",
    ["predicate.signedAt", at("09:00:00")],
    ["predicate.endedAt", at("08:59:00")],
    ["predicate.startedAt", at("08:00:00")],
  ),
  line("RUN_CANCELLED", "a run that was discarded", ["predicate.finish", "discard"]),
  line("RUN_CANCELLED", "a run that was cancelled", ["predicate.finish", null]),
  line("RUN_OPEN", "a run that is open", ["predicate.endedAt", null], ["predicate.finish", null]),
  line("RUN_OPEN", "a run with a finish that is open", ["predicate.endedAt", null]),
  {
    name: "a rejected last phase",
    edits: [["predicate.phases.1.accepted", null]],
    code: null,
    commit: "STATE_NOT_APPROVED",
  },
  {
    name: "a skipped last phase",
    edits: [["predicate.phases.1.status", "skipped"]],
    code: null,
    commit: "STATE_NOT_APPROVED",
  },
  {
    name: "a last phase without a tree",
    edits: [["predicate.phases.1.tree", null]],
    code: null,
    commit: "STATE_NOT_APPROVED",
  },
  { name: "no phase", edits: [["predicate.phases", []]], code: null, commit: "STATE_NOT_APPROVED" },
  {
    name: "phases in another order",
    edits: [["predicate.phases", "REVERSED predicate.phases"]],
    code: null,
    commit: "STATE_NOT_APPROVED",
  },
  {
    name: "an accepted tree that is missing",
    edits: [["predicate.phases.1.tree", OTHER]],
    code: null,
    commit: "OBJECTS_MISSING",
  },
  {
    name: "the accepted tree of the first phase at the last",
    edits: [["predicate.phases.1.tree", "TREE 0"]],
    code: null,
    commit: "STATE_NOT_APPROVED",
  },
];

/** A statement that counts, and a policy that it breaks. */
export type RuleCase = {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly policy: Readonly<Record<string, unknown>>;
  readonly code: RuleCode;
};

const gate = "predicate.phases.1.gates.0";
const gates = ["final"];
const by = { name: "Ada", channel: "terminal" };
const overruled = (what: string, name: string) => [{ phase: null, what, name, by, at: at("10:40:00") }];
const rule = (
  code: RuleCode,
  name: string,
  [policy, ...edits]: readonly [policy: RuleCase["policy"], ...edits: readonly Edit[]],
): RuleCase => ({ name, policy, edits, code });

export const RULE_CASES: readonly RuleCase[] = [
  rule("GATE_NOT_ANSWERED", "a gate without an answer", [{ gates }, ["predicate.phases.1.gates", []]]),
  rule("GATE_NOT_ANSWERED", "a gate accepted by the engine", [{ gates }, ["predicate.phases.1.accepted.by", "engine"]]),
  rule("GATE_NOT_ANSWERED", "a redo as last answer", [{ gates }, [`${gate}.decision`, "redo"]]),
  rule("GATE_NOT_ANSWERED", "a review as last answer", [{ gates }, [`${gate}.decision`, "review"]]),
  rule("GATE_NOT_ANSWERED", "a gate of a phase missing in the plan", [{ gates: ["08"] }]),
  rule("GATE_NOT_ANSWERED", "a gate by the end of its name", [{ gates: ["implement2"] }]),
  rule("GATE_NOT_ANSWERED", "an earlier gate that was passed", [
    { gates: ["01"] },
    ["predicate.phases.0.accepted.by", "engine"],
  ]),
  rule("GATE_OF_OTHER_TREE", "a gate that displayed other files", [{ gates }, [`${gate}.tree`, "TREE 0"]]),
  rule("GATE_OF_OTHER_TREE", "a gate without its displayed tree", [{ gates }, [`${gate}.tree`, null]]),
  rule("GATE_OF_OTHER_TREE", "an earlier gate for files without a commit", [
    { gates: ["01"] },
    ["predicate.phases.0.tree", OTHER],
    ["predicate.phases.0.gates.0.tree", OTHER],
  ]),
  rule("GATE_OF_OTHER_TREE", "an earlier gate for the files of a later commit", [
    { gates: ["01"] },
    ["predicate.phases.0.tree", "TREE 1"],
    ["predicate.phases.0.gates.0.tree", "TREE 1"],
  ]),
  rule("GATE_OF_OTHER_TREE", "an earlier gate without a commit and for other files", [
    { gates: ["01"] },
    ["predicate.phases.0.tree", OTHER],
    ["predicate.phases.0.gates.0.tree", OTHER],
    ["predicate.phases.0.commit", null],
  ]),
  rule("GATE_NOT_ANSWERED", "a decoy with the digits of a required phase", [
    { gates: ["02"] },
    ["predicate.phases.0.key", "02-decoy"],
    [`${gate}.decision`, "redo"],
  ]),
  rule("PHASE_NOT_COMPLETED", "a decoy with the digits of a phase", [
    { phases: ["02"] },
    ["predicate.phases.1.key", "02-decoy"],
    ["predicate.phases.0.key", "02-implement1"],
    ["predicate.phases.0.status", "skipped"],
  ]),
  rule("GATE_SUSPICIOUS", "a suspicious terminal", [{ gates }, [`${gate}.suspicious`, true]]),
  rule("GATE_REPORTED", "an answer reported by a server", [{ gates }, [`${gate}.reportedBy`, "server"]]),
  rule("GATE_REPORTED", "an answer with evidence of a host", [
    { gates },
    [
      `${gate}.evidence`,
      {
        host: "github.com",
        repository: 1,
        kind: "review",
        id: 1,
        login: "ada",
        user: 1,
        submittedAt: at("10:00:00"),
        seenAt: at("10:00:00"),
      },
    ],
  ]),
  rule("GATE_CHANNEL", "a token instead of a required passkey", [{ gates, channels: ["passkey"] }]),
  rule("GATE_CHANNEL", "an answer in a pull request instead of a terminal", [
    { gates, channels: ["terminal"] },
    [`${gate}.by.channel`, "pull-request"],
  ]),
  rule("GATE_NOT_SIGNED", "no passkey", [{ gates, passkeys: true }]),
  rule("GATE_NOT_SIGNED", "the channel passkey without a signature", [
    { gates, passkeys: true },
    [`${gate}.by.channel`, "passkey"],
  ]),
  rule("PHASE_NOT_COMPLETED", "a phase missing in the plan", [{ phases: ["09"] }]),
  rule("PHASE_NOT_COMPLETED", "an earlier phase that was skipped", [
    { phases: ["01"] },
    ["predicate.phases.0.status", "skipped"],
  ]),
  rule("PHASE_NOT_COMPLETED", "an earlier phase that is pending", [
    { phases: ["01"] },
    ["predicate.phases.0.status", "pending"],
  ]),
  rule("PHASE_NOT_COMPLETED", "an earlier phase that was not accepted", [
    { phases: ["01"] },
    ["predicate.phases.0.accepted", null],
  ]),
  rule("WORKFLOW_NOT_ALLOWED", "another workflow", [{ workflows: ["fix"] }]),
  rule("WORKFLOW_NOT_ALLOWED", "a workflow with another case", [{ workflows: ["Feature"] }]),
  rule("ADOPTED_WORK", "adopted work", [{ adopted: false }, ["predicate.adopted", ADOPTED]]),
  rule("NO_SANDBOX", "no sandbox", [{ sandbox: true }, ["predicate.sandbox", false]]),
  rule("NO_SANDBOX", "a sandbox that was not recorded", [{ sandbox: true }, ["predicate.sandbox", null]]),
  rule("FOUR_EYES", "one person instead of two signers", [{ fourEyes: true }]),
  rule("OVERRULED", "failed tests", [
    { forbidOverruled: ["tests"] },
    ["predicate.overruled", overruled("check", "tests")],
  ]),
  rule("OVERRULED", "any failed check", [
    { forbidOverruled: ["check"] },
    ["predicate.overruled", overruled("check", "artifacts")],
  ]),
  rule("OVERRULED", "a reviewer", [
    { forbidOverruled: ["review"] },
    ["predicate.overruled", overruled("review", "codex")],
  ]),
  rule("OVERRULED", "a skipped phase", [
    { forbidOverruled: ["phase"] },
    ["predicate.overruled", overruled("phase", "x")],
  ]),
  rule("OVERRULED", "a skipped step", [{ forbidOverruled: ["step"] }, ["predicate.overruled", overruled("step", "x")]]),
  rule("OVERRULED", "relaxed supervision", [
    { forbidOverruled: ["supervision"] },
    ["predicate.overruled", overruled("supervision", "x")],
  ]),
  rule("CHECK_UNKNOWN", "a misspelled check", [{ forbidOverruled: ["test"] }]),
  rule("OTHER_REPOSITORY", "the root of another repository", [{ repository: OTHER }]),
];
