import { type HistoryCase, honest, recordRun, SQUASHED, withPredicate } from "./case-runs.ts";
import { attempt, RUN } from "./case-world.ts";

/** All ways in which code hosts merge. */
export const HONEST_CASES: readonly HistoryCase[] = [
  honest("a fast-forward", ({ last }) => ({ head: last })),
  honest("a merge commit", ({ merge, root, last }) => ({ head: merge(root, last) })),
  honest("a merge commit on a moved base", ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, last) };
  }),
  honest("a squash", ({ squash, root, last }) => ({ head: squash(root, last) })),
  honest("a squash with the messages and co-authors of a host", ({ squash, root, last }) => ({
    head: squash(root, last, SQUASHED),
  })),
  honest("a squash on a moved base", ({ squash, move, last }) => {
    const base = move();
    return { base, head: squash(base, last, SQUASHED) };
  }),
  honest("a rebase", ({ root, first, last, squash }) => ({
    head: squash(squash(root, first, `One\n\n${attempt(1)}`), last, `Two\n\n${attempt(2)}`),
  })),
  honest("a rebase on a moved base", ({ move, first, last, squash }) => {
    const base = move();
    return { base, head: squash(squash(base, first), last) };
  }),
  honest("a merge after the branch was updated", ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, merge(last, base)) };
  }),
  honest("a squash after the branch was updated", ({ merge, move, last, squash }) => {
    const base = move();
    return { base, head: squash(base, merge(last, base)) };
  }),
  honest("an updated branch", ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(last, base) };
  }),
  honest("a rebase that is then merged with a merge commit", ({ move, first, last, squash, merge }) => {
    const base = move();
    return { base, head: merge(base, squash(squash(base, first), last)) };
  }),
  honest("a squash that is then merged with a merge commit", ({ move, last, squash, merge }) => {
    const base = move();
    return { base, head: merge(base, squash(base, last)) };
  }),
  honest("two runs, merged one after the other", (w) => {
    const other = w.another(w.root, "three.txt");
    return { head: w.merge(w.merge(w.root, w.last), other.last), lines: [w.sign(w.statement), other.line] };
  }),
  honest("two runs, squashed one after the other", (w) => {
    const other = w.another(w.root, "three.txt");
    return { head: w.squash(w.squash(w.root, w.last), other.last), lines: [w.sign(w.statement), other.line] };
  }),
  honest("a queue that merges the second run onto the first", (w) => {
    const other = w.another(w.root, "three.txt");
    const base = w.merge(w.root, w.last);
    return { base, head: w.merge(base, other.last), lines: [w.sign(w.statement), other.line] };
  }),
  honest("a run on top of a run, squashed together", (w) => {
    const other = w.another(w.last, "three.txt");
    return { head: w.squash(w.root, other.last), lines: [w.sign(w.statement), other.line] };
  }),
  honest("a squash onto a base with the first files", ({ copy, root, last }) => {
    const base = copy(root, root, "Empty");
    return { base, head: copy(base, last) };
  }),
  honest("a statement of two people", (w) => ({
    head: w.last,
    lines: [w.sign(w.statement, "ada", "ben")],
    policy: { fourEyes: true },
  })),
  honest("a good statement next to one of a person without permission", (w) => ({
    head: w.last,
    lines: [w.sign(w.statement), w.sign(withPredicate(w.statement, { journal: { seq: 99, hash: "x" } }), "ben")],
    policy: { people: ["ada@example.org"] },
  })),
  honest("a good statement next to one of a stranger", (w) => ({
    head: w.last,
    lines: [w.sign(w.statement), w.sign(withPredicate(w.statement, { finish: "discard" }), "mallory")],
  })),
  honest("a branch that continues after it was squashed", (w) => {
    const base = w.squash(w.root, w.last);
    const other = w.another(w.last, "three.txt");
    return { base, head: w.merge(base, other.last), lines: [w.sign(w.statement), other.line] };
  }),
  ...(["as it is", "merged"] as const).map((how) =>
    honest(`a branch updated after its squash, on a base that changed it later, ${how}`, (w) => {
      const landed = w.squash(w.root, w.last);
      const other = w.another(w.merge(w.last, landed), "three.txt");
      const base = w.commit(landed, { "one.txt": "later\n" });
      const lines = [w.sign(w.statement), other.line];
      return { base, head: how === "merged" ? w.merge(base, other.last) : other.last, lines };
    }),
  ),
  honest("a sealed run", (w) => ({
    head: w.last,
    lines: [w.sign(withPredicate(w.statement, { endedAt: null, sealedAt: "2026-11-01T10:59:00Z", finish: "pr" }))],
  })),
  honest("an open run if the policy permits it", (w) => ({
    head: w.last,
    lines: [w.sign(withPredicate(w.statement, { endedAt: null, finish: null }))],
    policy: { openRuns: true },
  })),
  honest("a change by hand if only agents need approval", (w) => ({
    head: w.commit(w.last, { "hand.txt": "x\n" }),
    policy: { commits: "agents", gates: ["final"] },
  })),
  honest("a record commit that marks the item", (w) =>
    recordRun(w, { "BACKLOG.md": w.repository.filesOf(w.last)["BACKLOG.md"]?.replace("[ ]", "[x]") ?? "" }),
  ),
  honest("a record commit that writes the item's file", (w) =>
    recordRun(w, { [`docs/requirements/${RUN}/meta.json`]: '{"phases_completed":["01"]}\n' }),
  ),
];
