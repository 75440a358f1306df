import {
  type CommitCode,
  LINE_CODES,
  type LineCode,
  type RuleCode,
} from "../../../src/core/attestation/verification-codes.ts";

const OTHERS: { readonly [C in Exclude<CommitCode, LineCode> | RuleCode]: true } = {
  OCTOPUS: true,
  OBJECTS_MISSING: true,
  MERGE_CONFLICT: true,
  MERGE_DIFFERS: true,
  STATE_NOT_APPROVED: true,
  RUN_CUT_OFF: true,
  FOREIGN_COMMITS: true,
  LANDED_BEFORE: true,
  SUPERSEDED_STATE: true,
  CHANGED: true,
  NOT_BY_RUN: true,
  UNSIGNED: true,
  AGENT: true,
  BY_HAND: true,
  NOT_CARRIED: true,
  MOVED_BASE: true,
  WORKFLOW_NOT_ALLOWED: true,
  PHASE_NOT_COMPLETED: true,
  GATE_NOT_ANSWERED: true,
  GATE_OF_OTHER_TREE: true,
  GATE_SUSPICIOUS: true,
  GATE_REPORTED: true,
  GATE_CHANNEL: true,
  GATE_NOT_SIGNED: true,
  GATE_SIGNER_NOT_PERMITTED: true,
  AFTER_SIGNED_TREE: true,
  FOUR_EYES: true,
  OVERRULED: true,
  CHECK_UNKNOWN: true,
  NO_SANDBOX: true,
  ADOPTED_WORK: true,
  OTHER_REPOSITORY: true,
};

/** Every code that a verification can give. */
export const ALL_CODES: readonly string[] = [...LINE_CODES, ...Object.keys(OTHERS)];
