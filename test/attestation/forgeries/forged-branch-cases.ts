import { forged, type HistoryCase, withPredicate } from "./case-runs.ts";
import { attempt, type World } from "./case-world.ts";

/** The base after the run landed by squash and a person reverted it. */
const revert = (w: World): string => w.copy(w.squash(w.root, w.last), w.root, "Revert");

/** Branches that restore changes reverted in the base, or build on unapproved commits. */
export const FORGED_BRANCH_CASES: readonly HistoryCase[] = [
  forged("LANDED_BEFORE", "the branch itself after a squash and a revert", (w) => ({ base: revert(w), head: w.last })),
  forged("LANDED_BEFORE", "a branch updated after a squash and a revert", (w) => {
    const base = revert(w);
    return { base, head: w.merge(w.last, base) };
  }),
  forged("LANDED_BEFORE", "an updated branch merged after a squash and a revert", (w) => {
    const base = revert(w);
    return { base, head: w.merge(base, w.merge(w.last, base)) };
  }),
  forged("LANDED_BEFORE", "a branch updated after a squash that another run reverted", (w) => {
    const landed = w.squash(w.root, w.last);
    const other = w.another(landed, "one.txt", { "one.txt": null, "two.txt": null });
    return { head: w.merge(w.last, other.last), lines: [w.sign(w.statement), other.line] };
  }),
  forged("LANDED_BEFORE", "a squash twice", (w) => ({ head: w.copy(w.squash(w.root, w.last), w.last) })),
  forged("RUN_CANCELLED", "a run on top of a cancelled run", (w) => {
    const other = w.another(w.last, "three.txt");
    return { head: other.last, lines: [w.sign(withPredicate(w.statement, { finish: null })), other.line] };
  }),
  forged("FOREIGN_COMMITS", "a squash of a run on top of a cancelled run", (w) => {
    const other = w.another(w.last, "three.txt");
    return {
      head: w.squash(w.root, other.last),
      lines: [w.sign(withPredicate(w.statement, { finish: null })), other.line],
    };
  }),
  forged("RUN_CUT_OFF", "a run that starts at the first state of another", (w) => {
    const other = w.another(w.first, "three.txt");
    return { head: other.last, lines: [w.sign(w.statement), other.line] };
  }),
  forged("FOREIGN_COMMITS", "a squash of a run that starts at the first state of another", (w) => {
    const other = w.another(w.first, "three.txt");
    return { head: w.squash(w.root, other.last), lines: [w.sign(w.statement), other.line] };
  }),
  forged("SUPERSEDED_STATE", "the approved files as an unrelated history", (w) => ({
    head: w.repository.commit({ parents: [], files: w.repository.filesOf(w.last), message: "Start" }),
  })),
  forged("BY_HAND", "a rebase with a file that a later commit removes", (w) => {
    const evil = w.commit(w.root, { "one.txt": "1\n", "evil.txt": "x\n" });
    return { head: w.copy(evil, w.last) };
  }),
  forged("BY_HAND", "a rebase in another order", (w) => {
    const second = w.commit(w.root, { "two.txt": "2\n" });
    return { head: w.copy(second, w.last) };
  }),
  forged("RUN_CANCELLED", "a sealed run that was discarded without its seal", (w) => ({
    head: w.last,
    lines: [
      w.sign(withPredicate(w.statement, { endedAt: null, sealedAt: "2026-11-01T10:59:00Z", finish: "pr" })),
      w.sign(withPredicate(w.statement, { finish: "discard", journal: { seq: 60, hash: "c" } })),
    ],
  })),
  forged("CHANGED", "the last commit again with another parent", (w) => ({
    head: w.commit(w.move(), { "one.txt": "1\n", "two.txt": "evil\n" }, `Two\n\n${attempt(2)}`),
  })),
];
