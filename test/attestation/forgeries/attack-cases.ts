import { forged, type HistoryCase, honest, recordRun, SQUASHED, withPredicate } from "./case-runs.ts";
import { attempt, RUN, type World } from "./case-world.ts";
import type { Files } from "./repository-model.ts";

const META = `docs/requirements/${RUN}/meta.json`;
const marked = ({ repository, last }: World, change: (text: string) => string): Files => ({
  "BACKLOG.md": change(repository.filesOf(last)["BACKLOG.md"] ?? ""),
});

/** A run that starts at a commit outside of the base. */
const onTop = (world: World, start: string) => {
  const other = world.another(start, "three.txt");
  return { last: other.last, lines: [world.sign(world.statement), other.line] };
};

/** Attacks on branches: content that comes with an approved run. */
const BRANCHES: readonly HistoryCase[] = [
  forged("BY_HAND", "a run that starts at an unapproved commit", (w) => {
    const { last, lines } = onTop(w, w.commit(w.root, { "evil.txt": "x\n" }));
    return { head: last, lines };
  }),
  forged("FOREIGN_COMMITS", "a squash of a run that starts at an unapproved commit", (w) => {
    const { last, lines } = onTop(w, w.commit(w.root, { "evil.txt": "x\n" }));
    return { head: w.squash(w.root, last), lines };
  }),
  forged("FOREIGN_COMMITS", "a squash on a moved base of a run that starts at an unapproved commit", (w) => {
    const { last, lines } = onTop(w, w.commit(w.root, { "evil.txt": "x\n" }));
    const base = w.move();
    return { base, head: w.squash(base, last), lines };
  }),
  forged("MERGE_DIFFERS", "a run that starts at an evil merge", (w) => {
    const files = { ...w.repository.filesOf(w.last), "evil.txt": "x\n" };
    const start = w.repository.commit({ parents: [w.root, w.last], files, message: "Merge" });
    const { last, lines } = onTop(w, start);
    return { head: last, lines };
  }),
  forged("FOREIGN_COMMITS", "a squash of a run that starts at an evil merge", (w) => {
    const files = { ...w.repository.filesOf(w.last), "evil.txt": "x\n" };
    const start = w.repository.commit({ parents: [w.root, w.last], files, message: "Merge" });
    const { last, lines } = onTop(w, start);
    return { head: w.squash(w.root, last), lines };
  }),
  forged("BY_HAND", "a merge commit of a branch with an unapproved commit on top", (w) => ({
    head: w.merge(w.root, w.commit(w.last, { "evil.txt": "x\n" })),
  })),
  forged("BY_HAND", "an unapproved commit that the next one removes", (w) => {
    const evil = w.commit(w.root, { "evil.txt": "x\n" });
    return { head: w.commit(evil, { "evil.txt": null, "one.txt": "1\n", "two.txt": "2\n" }) };
  }),
  forged("LANDED_BEFORE", "a merge that restores one file after a partial revert", (w) => {
    const base = w.commit(w.squash(w.root, w.last), { "two.txt": null }, "Revert two.txt");
    return { base, head: w.merge(base, w.last) };
  }),
  forged("LANDED_BEFORE", "a rebase again after a revert", (w) => {
    const base = w.copy(w.squash(w.root, w.last), w.root, "Revert");
    return { base, head: w.squash(w.copy(base, w.first), w.last) };
  }),
];

/** Attacks on merge commits. */
const MERGES: readonly HistoryCase[] = [
  forged("MERGE_DIFFERS", "a merge of a commit with itself that adds a file", ({ last, repository }) => ({
    head: repository.commit({
      parents: [last, last],
      files: { ...repository.filesOf(last), "evil.txt": "x\n" },
      message: "Merge",
    }),
  })),
  forged("MERGE_DIFFERS", "a merge of an ancestor that removes what followed", ({ first, last, repository }) => ({
    head: repository.commit({ parents: [last, first], files: repository.filesOf(first), message: "Merge" }),
  })),
  forged("MERGE_DIFFERS", "a merge of a descendant that keeps the files of the ancestor", (w) => ({
    head: w.repository.commit({ parents: [w.first, w.last], files: w.repository.filesOf(w.first), message: "Merge" }),
  })),
  forged("MERGE_DIFFERS", "a merge that swaps the contents of two approved files", ({ root, last, repository }) => ({
    head: repository.commit({
      parents: [root, last],
      files: { ...repository.filesOf(last), "one.txt": "2\n", "two.txt": "1\n" },
      message: "Merge",
    }),
  })),
  forged("OCTOPUS", "a merge of the same parent three times", ({ last, repository }) => ({
    head: repository.commit({ parents: [last, last, last], files: repository.filesOf(last), message: "Merge" }),
  })),
];

/** Attacks on squashes: trees that nearly are the approved one. */
const SQUASHES: readonly HistoryCase[] = [
  forged("BY_HAND", "a squash with the name of a file in capitals", (w) => ({
    head: w.commit(w.root, { "ONE.txt": "1\n", "two.txt": "2\n" }, "Squashed (#7)"),
  })),
  forged("BY_HAND", "a squash with a name in another Unicode form", (w) => {
    const other = w.another(w.root, "\u00e9.txt");
    return { head: w.commit(w.root, { "e\u0301.txt": "3\n" }, "Three"), lines: [other.line] };
  }),
  forged("CHANGED", "a squash with other line ends", (w) => ({
    head: w.commit(w.root, { "one.txt": "1\r\n", "two.txt": "2\n" }, SQUASHED),
  })),
  forged("BY_HAND", "a squash that does not delete what the run deleted", (w) => {
    const other = w.another(w.root, "three.txt", { "three.txt": "3\n", "a.txt": null });
    return { head: w.commit(w.root, { "three.txt": "3\n" }, "Three"), lines: [other.line] };
  }),
  forged("BY_HAND", "a squash of two runs with a file of neither", (w) => {
    const other = w.another(w.root, "three.txt");
    const both = { "one.txt": "1\n", "two.txt": "2\n", "three.txt": "3\n", "evil.txt": "x\n" };
    return { head: w.commit(w.root, both, "Both"), lines: [w.sign(w.statement), other.line] };
  }),
  forged("BY_HAND", "two runs squashed into one commit", (w) => {
    const other = w.another(w.root, "three.txt");
    const both = { "one.txt": "1\n", "two.txt": "2\n", "three.txt": "3\n" };
    return { head: w.commit(w.root, both, "Both"), lines: [w.sign(w.statement), other.line] };
  }),
  forged("UNSIGNED", "a squash of a run in the name of a run without a statement", (w) => ({
    head: w.squash(w.root, w.last, `Three\n\n${attempt(1).replace("k3f0", "k3f9")}`),
    lines: [],
  })),
];

/** Attacks on the last state: a record commit that says more than a mark. */
const RECORDS: readonly HistoryCase[] = [
  forged("STATE_NOT_APPROVED", "a record commit that adds a marked line to the backlog", (w) =>
    recordRun(
      w,
      marked(w, (text) => `${text}- 1.3 [x] Evil\n`),
    ),
  ),
  forged("STATE_NOT_APPROVED", "a record commit that swaps lines of the backlog", (w) =>
    recordRun(
      w,
      marked(w, (text) => text.split("\n").toReversed().join("\n")),
    ),
  ),
  forged("STATE_NOT_APPROVED", "a record commit with an unknown mark", (w) =>
    recordRun(
      w,
      marked(w, (text) => text.replace("[ ]", "[y]")),
    ),
  ),
  forged("STATE_NOT_APPROVED", "a record commit with other line ends in the backlog", (w) =>
    recordRun(
      w,
      marked(w, (text) => text.replaceAll("\n", "\r\n")),
    ),
  ),
  forged("STATE_NOT_APPROVED", "a record commit whose file is a list", (w) => recordRun(w, { [META]: "[]\n" })),
  forged("STATE_NOT_APPROVED", "a record commit with a file below the item's file", (w) =>
    recordRun(w, { [`${META}/x`]: "{}\n" }),
  ),
  forged("STATE_NOT_APPROVED", "a record commit with the item's file in capitals", (w) =>
    recordRun(w, { [META.replace("meta", "META")]: "{}\n" }),
  ),
  forged("STATE_NOT_APPROVED", "a record commit with the item's file in another folder", (w) =>
    recordRun(w, { [`src/${META}`]: "{}\n" }),
  ),
];

/** Attacks on names and times in statements and policies. */
const NAMES: readonly HistoryCase[] = [
  forged("SIGNER_NOT_PERMITTED", "a policy that names the signer in capitals", ({ last }) => ({
    head: last,
    policy: { people: ["Ada@example.org"] },
  })),
  forged("SIGNER_NOT_PERMITTED", "a policy that names the signer with another alphabet", ({ last }) => ({
    head: last,
    policy: { people: ["\u0430da@example.org"] },
  })),
  forged("WORKFLOW_NOT_ALLOWED", "a workflow in capitals", ({ last, sign, statement }) => ({
    head: last,
    lines: [sign(withPredicate(statement, { workflow: "Feature" }))],
    policy: { workflows: ["feature"] },
  })),
  forged("FOUR_EYES", "a statement of a person and the server, as two people", ({ last, sign, statement }) => ({
    head: last,
    lines: [sign(statement, "ada", "server")],
    policy: { fourEyes: true, servers: ["server@example.org"] },
  })),
  forged("STATEMENT_CONTRADICTORY", "a run that started after it was signed", ({ last, sign, statement }) => ({
    head: last,
    lines: [sign(withPredicate(statement, { startedAt: "2026-11-01T11:00:05.001Z" }))],
  })),
  forged("STATEMENTS_DISAGREE", "an agreeing statement with another item", ({ last, sign, statement }) => ({
    head: last,
    lines: [sign(statement), sign(withPredicate(statement, { item: "docs/requirements/other" }))],
  })),
  honest("a run squashed with the attempt of another run in its message", (w) => ({
    head: w.squash(w.root, w.last, `Three\n\n${attempt(1).replace("k3f0", "k3f9")}`),
  })),
];

/** Attacks on the verifier, each with content that no run made. */
export const ATTACK_CASES: readonly HistoryCase[] = [...BRANCHES, ...MERGES, ...SQUASHES, ...RECORDS, ...NAMES];
