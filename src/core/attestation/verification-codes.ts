/** Reasons why a line of the notes does not count, in the order of the checks. */
export const LINE_CODES = [
  "ENVELOPE_INVALID",
  "STATEMENT_INVALID",
  "TYPE_UNKNOWN",
  "NEWER_VERSION",
  "SIGNED_IN_FUTURE",
  "STATEMENT_CONTRADICTORY",
  "SIGNATURE_BAD",
  "SIGNER_UNKNOWN",
  "GATE_SIGNATURE_BAD",
  "KEY_REVOKED",
  "SIGNER_NOT_PERMITTED",
  "STATEMENT_UNTRUE",
  "RUN_CANCELLED",
  "RUN_OPEN",
  "STATEMENTS_DISAGREE",
] as const;
export type LineCode = (typeof LINE_CODES)[number];

/** Reasons why a commit is not covered. */
export type CommitCode =
  | LineCode
  | "OCTOPUS"
  | "OBJECTS_MISSING"
  | "MERGE_CONFLICT"
  | "MERGE_DIFFERS"
  | "STATE_NOT_APPROVED"
  | "RUN_CUT_OFF"
  | "FOREIGN_COMMITS"
  | "LANDED_BEFORE"
  | "SUPERSEDED_STATE"
  | "CHANGED"
  | "NOT_BY_RUN"
  | "UNSIGNED"
  | "AGENT"
  | "BY_HAND"
  | "NOT_CARRIED"
  | "MOVED_BASE";

/** Reasons why a statement violates a rule of the policy. */
export type RuleCode =
  | "WORKFLOW_NOT_ALLOWED"
  | "PHASE_NOT_COMPLETED"
  | "GATE_NOT_ANSWERED"
  | "GATE_OF_OTHER_TREE"
  | "GATE_SUSPICIOUS"
  | "GATE_REPORTED"
  | "GATE_CHANNEL"
  | "GATE_NOT_SIGNED"
  | "GATE_SIGNER_NOT_PERMITTED"
  | "AFTER_SIGNED_TREE"
  | "FOUR_EYES"
  | "OVERRULED"
  | "CHECK_UNKNOWN"
  | "NO_SANDBOX"
  | "ADOPTED_WORK"
  | "OTHER_REPOSITORY";
