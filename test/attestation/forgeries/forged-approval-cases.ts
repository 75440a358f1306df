import { foreignRun, forged, type HistoryCase, prefixOf, recordRun, withPredicate } from "./case-runs.ts";
import { attempt, RUN } from "./case-world.ts";

/** Statements, branches and bases that do not approve the merged commits. */
export const FORGED_APPROVAL_CASES: readonly HistoryCase[] = [
  forged("FOREIGN_COMMITS", "a squash of a branch with a foreign commit on top", (w) => {
    const foreign = w.commit(w.first, { "evil.txt": "x\n" });
    const last = w.commit(foreign, { "two.txt": "2\n" }, `Two\n\n${attempt(2)}`);
    return foreignRun(w, { foreign, last }, (base) => w.squash(base, last));
  }),
  forged("NOT_BY_RUN", "a foreign commit between two phases", (w) => {
    const foreign = w.commit(w.first, { "evil.txt": "x\n" });
    const last = w.commit(foreign, { "two.txt": "2\n" }, `Two\n\n${attempt(2)}`);
    return foreignRun(w, { foreign, last }, () => last);
  }),
  forged("SIGNER_UNKNOWN", "a statement of a stranger", (w) => ({
    head: w.last,
    lines: [w.sign(w.statement, "mallory")],
  })),
  forged("SIGNATURE_BAD", "a signature over something else", (w) => ({
    head: w.last,
    lines: [{ ...w.sign(w.statement), isForged: true }],
  })),
  forged("ENVELOPE_INVALID", "an envelope in a non-canonical form", (w) => ({
    head: w.last,
    lines: [{ ...w.sign(w.statement), isMalformed: true }],
  })),
  forged("SIGNER_NOT_PERMITTED", "a signer without permission", (w) => ({
    head: w.last,
    policy: { people: ["ben@example.org"] },
  })),
  forged("KEY_REVOKED", "a key that was revoked before", (w) => ({
    head: w.last,
    policy: { revokedSigners: [{ key: "KEY:ada", lastCommit: w.root }] },
  })),
  forged("KEY_REVOKED", "a key revoked at a missing commit", (w) => ({
    head: w.last,
    policy: { revokedSigners: [{ key: "KEY:ada", lastCommit: "1".repeat(w.repository.digits) }] },
  })),
  forged("STATEMENTS_DISAGREE", "two statements with different plans", (w) => ({
    head: w.last,
    lines: [w.sign(w.statement), w.sign(withPredicate(w.statement, { plan: "0".repeat(64) }), "ben")],
  })),
  forged("STATEMENTS_DISAGREE", "a newer statement that resets the phase", (w) => ({
    head: w.last,
    lines: [
      w.sign(w.statement),
      w.sign(
        withPredicate(w.statement, {
          journal: { seq: 60, hash: "c" },
          phases: w.statement.predicate.phases.map((phase) => ({ ...phase, accepted: null })),
        }),
      ),
    ],
  })),
  forged("STATEMENTS_DISAGREE", "an older statement about a prefix of the run", (w) => ({
    head: w.first,
    lines: [w.sign(w.statement), w.sign(prefixOf(w.statement))],
  })),
  forged("RUN_OPEN", "an open prefix without the newer statement", (w) => ({
    head: w.first,
    lines: [w.sign(withPredicate(prefixOf(w.statement), { endedAt: null, finish: null }))],
  })),
  forged("RUN_CANCELLED", "an open run that was cancelled later", (w) => ({
    head: w.last,
    policy: { openRuns: true },
    lines: [
      w.sign(withPredicate(w.statement, { endedAt: null, finish: null, journal: { seq: 20, hash: "c" } })),
      w.sign(withPredicate(w.statement, { finish: null })),
    ],
  })),
  forged("MOVED_BASE", "a squash on a moved base that the policy rejects", ({ squash, move, last }) => {
    const base = move();
    return { base, head: squash(base, last), policy: { movedBase: "never" } };
  }),
  forged("MOVED_BASE", "a merge on a moved base that the policy rejects", ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, last), policy: { movedBase: "never" } };
  }),
  forged("NOT_CARRIED", "a squash on a moved base without checks", ({ squash, move, last }) => {
    const base = move();
    return { base, head: squash(base, last), policy: { movedBase: "carried" } };
  }),
  forged("NOT_CARRIED", "a merge on a moved base without checks", ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, last), policy: { movedBase: "carried" } };
  }),
  forged("STATE_NOT_APPROVED", "a record commit with another file", (w) =>
    recordRun(w, {
      "BACKLOG.md": w.repository.filesOf(w.last)["BACKLOG.md"]?.replace("[ ]", "[x]") ?? "",
      "evil.txt": "x\n",
    }),
  ),
  forged("STATE_NOT_APPROVED", "a record commit that changes words of the backlog", (w) =>
    recordRun(w, { "BACKLOG.md": "# Backlog\n\n- 1.1 [x] Something else\n- 1.2 [ ] Second\n" }),
  ),
  forged("STATE_NOT_APPROVED", "a record commit that removes the backlog", (w) => recordRun(w, { "BACKLOG.md": null })),
  forged("STATE_NOT_APPROVED", "a record commit that writes the file of another item", (w) =>
    recordRun(w, { "docs/requirements/other/meta.json": "{}\n" }),
  ),
  forged("STATE_NOT_APPROVED", "a record commit whose file is not JSON", (w) =>
    recordRun(w, { [`docs/requirements/${RUN}/meta.json`]: "#!/bin/sh\n" }),
  ),
];
