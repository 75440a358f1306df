import { AGENT, forged, type HistoryCase, SQUASHED } from "./case-runs.ts";
import { attempt } from "./case-world.ts";

/** Histories that present something else as approved. */
export const FORGED_HISTORY_CASES: readonly HistoryCase[] = [
  forged("RUN_CUT_OFF", "the first state alone", ({ first }) => ({ head: first })),
  forged("RUN_CUT_OFF", "the first state in a merge commit", ({ merge, root, first }) => ({
    head: merge(root, first),
  })),
  forged("SUPERSEDED_STATE", "a squash of the first state", ({ squash, root, first }) => ({
    head: squash(root, first),
  })),
  forged("SUPERSEDED_STATE", "a commit with the files of the first state", ({ copy, root, first }) => ({
    head: copy(root, first, "Trust me"),
  })),
  forged("SUPERSEDED_STATE", "the first state on top of the run", ({ copy, first, last }) => ({
    head: copy(last, first, "Simplify"),
  })),
  forged("SUPERSEDED_STATE", "the approved files after a later fix", ({ copy, commit, last }) => ({
    head: copy(commit(last, { "a.txt": "fix\n" }), last, "Tidy up"),
    policy: { commits: "agents", gates: ["final"] },
  })),
  forged("MERGE_DIFFERS", "a merge that discards files of the base", ({ move, last, repository }) => {
    const base = move();
    return { base, head: repository.commit({ parents: [base, last], files: repository.filesOf(last) }) };
  }),
  forged("MERGE_DIFFERS", "a merge that adds a file", ({ root, last, repository }) => ({
    head: repository.commit({ parents: [root, last], files: { ...repository.filesOf(last), "evil.txt": "x\n" } }),
  })),
  forged("MERGE_DIFFERS", "a merge that changes an approved file", ({ root, last, repository }) => ({
    head: repository.commit({ parents: [root, last], files: { ...repository.filesOf(last), "two.txt": "x\n" } }),
  })),
  forged("MERGE_DIFFERS", "a merge that drops an approved file", ({ root, first, last, repository }) => ({
    head: repository.commit({ parents: [root, last], files: repository.filesOf(first) }),
  })),
  forged("MERGE_DIFFERS", "a merge with the files of the base", ({ root, last, repository }) => ({
    head: repository.commit({ parents: [root, last], files: repository.filesOf(root) }),
  })),
  forged("MERGE_CONFLICT", "a manually resolved conflict", ({ root, last, commit, repository }) => {
    const base = commit(root, { "two.txt": "other\n" });
    return { base, head: repository.commit({ parents: [base, last], files: repository.filesOf(last) }) };
  }),
  forged("OCTOPUS", "a merge of three parents", ({ root, first, last, repository }) => ({
    head: repository.commit({ parents: [root, last, first], files: repository.filesOf(last) }),
  })),
  forged("BY_HAND", "a commit on top of the run", ({ commit, last }) => ({
    head: commit(last, { "evil.txt": "x\n" }),
  })),
  forged("AGENT", "a commit of an agent on top of the run", ({ commit, last }) => ({
    head: commit(last, { "evil.txt": "x\n" }, AGENT),
    policy: { commits: "agents", gates: ["final"] },
  })),
  forged("BY_HAND", "an empty commit on top of the run", ({ copy, last }) => ({ head: copy(last, last, "Empty") })),
  forged("BY_HAND", "a commit below the run", (w) => {
    const below = w.commit(w.root, { "evil.txt": "x\n" });
    return { head: w.merge(below, w.last) };
  }),
  forged("BY_HAND", "a commit on the base, then a squash", (w) => ({
    head: w.squash(w.commit(w.root, { "evil.txt": "x\n" }), w.last),
  })),
  forged("BY_HAND", "a revert by hand of the landed run", (w) => ({
    head: w.copy(w.squash(w.root, w.last), w.root, "Revert"),
  })),
  forged("CHANGED", "a squash with one more file", (w) => ({
    head: w.commit(w.root, { "one.txt": "1\n", "two.txt": "2\n", "evil.txt": "x\n" }, SQUASHED),
  })),
  forged("CHANGED", "a squash with one file less", (w) => ({ head: w.commit(w.root, { "two.txt": "2\n" }, SQUASHED) })),
  forged("CHANGED", "an amended last commit", (w) => ({
    head: w.commit(w.first, { "two.txt": "evil\n" }, `Two\n\n${attempt(2)}`),
  })),
  forged("CHANGED", "the last commit, cherry-picked alone", (w) => ({
    head: w.commit(w.root, { "two.txt": "2\n" }, `Two\n\n${attempt(2)}`),
  })),
  forged("UNSIGNED", "a commit that names an attempt of no run", (w) => ({
    head: w.commit(w.root, { "evil.txt": "x\n" }, "Trust me\n\nIsdlc-Attempt: 20260101-000000000-aaaa/x#1"),
    policy: { commits: "agents", gates: ["final"] },
  })),
  forged("UNSIGNED", "a run without a statement", ({ last }) => ({ head: last, lines: [] })),
  forged("LANDED_BEFORE", "a squash again after a revert", (w) => {
    const base = w.copy(w.squash(w.root, w.last), w.root, "Revert");
    return { base, head: w.squash(base, w.last) };
  }),
  forged("LANDED_BEFORE", "a merge of the branch after a squash and a revert", (w) => {
    const base = w.copy(w.squash(w.root, w.last), w.root, "Revert");
    return { base, head: w.merge(base, w.last) };
  }),
  forged("LANDED_BEFORE", "a squash again after a revert and another change", (w) => {
    const reverted = w.copy(w.squash(w.root, w.last), w.root, "Revert");
    const base = w.commit(reverted, { "b.txt": "later\n" });
    return { base, head: w.squash(base, w.last) };
  }),
  forged("MERGE_DIFFERS", "a branch that an evil merge updated", (w) => {
    const base = w.move();
    const updated = w.repository.commit({
      parents: [w.last, base],
      files: { ...w.repository.filesOf(w.last), "evil.txt": "x\n" },
    });
    return { base, head: w.merge(base, updated) };
  }),
  forged("SUPERSEDED_STATE", "the run's files in place of newer files of the base", ({ copy, move, last }) => {
    const base = move();
    return { base, head: copy(base, last) };
  }),
];
