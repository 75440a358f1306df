import type { RunStatement } from "../../schema/attestation.ts";
import { unsignedBadgeText } from "./badge.ts";

/** Describes the signed statement to the owner of the key. */
export function attestedLines(statement: RunStatement): string[] {
  const { subject, predicate } = statement;
  const commits = subject.length === 1 ? "1 commit" : `${subject.length} commits`;
  return [`Signed: run ${predicate.run} made ${commits} (${unsignedBadgeText([{ statement }])}).`];
}

export const shareLine = "To share it: git push origin refs/notes/isdlc";
