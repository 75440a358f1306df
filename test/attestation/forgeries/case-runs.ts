import type { RunStatement } from "../../../src/schema/attestation.ts";
import { attempt, type ForgedCase, RUN, type World } from "./case-world.ts";

/** A history, and the code that it is refused with. Null: it is accepted. */
export type HistoryCase = {
  readonly name: string;
  readonly code: string | null;
  readonly make: (world: World) => ForgedCase;
};

export const honest = (name: string, make: HistoryCase["make"]): HistoryCase => ({ name, code: null, make });
export const forged = (code: string, name: string, make: HistoryCase["make"]): HistoryCase => ({ name, code, make });
export const AGENT = "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
export const SQUASHED = `Add it (#7)\n\n* One\n\n${attempt(1)}\n\n* Two\n\n${attempt(2)}\n\nCo-authored-by: Ben <ben@example.org>`;

/** A statement with other facts. */
export const withPredicate = (statement: RunStatement, change: Partial<RunStatement["predicate"]>): RunStatement => ({
  ...statement,
  predicate: { ...statement.predicate, ...change },
});

/** The run with a commit between its states that it did not make. */
export function foreignRun(
  { root, repository, statement, sign }: World,
  { foreign, last }: { readonly foreign: string; readonly last: string },
  land: (base: string) => string,
): ForgedCase {
  const { predicate } = statement;
  const point = (commit: string) => ({ commit, tree: repository.treeOf(commit) });
  const [one, two] = statement.subject;
  const phases = predicate.phases.map((phase, index) =>
    index === 0
      ? phase
      : { ...phase, ...point(last), gates: phase.gates.map((gate) => ({ ...gate, tree: repository.treeOf(last) })) },
  );
  const told = {
    ...statement,
    subject: [one, { ...two, digest: { gitCommit: last, gitTree: repository.treeOf(last) } }],
    predicate: {
      ...predicate,
      phases,
      git: { ...predicate.git, others: [point(foreign)] },
      states: [
        { is: "phase", parents: [root] },
        { is: "phase", parents: [foreign] },
      ],
    },
  } as RunStatement;
  return { head: land(root), lines: [sign(told)] };
}

/** A statement that was true before the last phase. */
export function prefixOf({ subject, predicate, ...rest }: RunStatement): RunStatement {
  const journal = { seq: 20, hash: "c" };
  return {
    ...rest,
    subject: subject.slice(0, 1),
    predicate: { ...predicate, journal, states: predicate.states.slice(0, 1), phases: predicate.phases.slice(0, 1) },
  };
}

/** The run with a record commit as its last state. */
export function recordRun(world: World, change: Readonly<Record<string, string | null>>): ForgedCase {
  const { statement, last, repository, sign } = world;
  const record = world.commit(last, change, `Record\n\nIsdlc-Attempt: ${RUN}/record`);
  const { predicate, subject, ...rest } = statement;
  const digest = { gitCommit: record, gitTree: repository.treeOf(record) };
  const states = [...predicate.states, { is: "record" as const, parents: [last] }];
  return {
    head: record,
    lines: [
      sign({ ...rest, subject: [...subject, { name: `${RUN}/record`, digest }], predicate: { ...predicate, states } }),
    ],
  };
}
