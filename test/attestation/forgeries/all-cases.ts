import { ATTACK_CASES } from "./attack-cases.ts";
import type { CaseModel } from "./case-model.ts";
import { createWorld, type ForgedCase, toCase, type World } from "./case-world.ts";
import { FORGED_APPROVAL_CASES } from "./forged-approval-cases.ts";
import { FORGED_BRANCH_CASES } from "./forged-branch-cases.ts";
import { FORGED_HISTORY_CASES } from "./forged-history-cases.ts";
import { HONEST_CASES } from "./honest-cases.ts";
import { HOST_MERGE_CASES } from "./host-merge-cases.ts";
import { LANDING_CASES } from "./landing-cases.ts";
import { RULE_CASES, STATEMENT_CASES } from "./statement-cases.ts";
import { HONEST_TEXTS, TEXT_CASES } from "./text-cases.ts";
import type { Files } from "./repository-model.ts";

/** A case with the code it is refused with. Null: it is accepted. */
export type ExpectedCase = { readonly model: CaseModel; readonly code: string | null };

const LANDINGS: Readonly<Record<string, (world: World) => ForgedCase>> = {
  "as it is": ({ last }) => ({ head: last }),
  merged: ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, last) };
  },
  squashed: ({ squash, root, last }) => ({ head: squash(root, last) }),
};

/** A case that can be made in repositories of both kinds. `files` are on the base. */
export type CaseSource = {
  readonly name: string;
  readonly code: string | null;
  readonly build: (digits: 40 | 64, files?: Files) => CaseModel;
};

const HISTORIES = [
  ...HONEST_CASES,
  ...HOST_MERGE_CASES,
  ...FORGED_HISTORY_CASES,
  ...FORGED_BRANCH_CASES,
  ...FORGED_APPROVAL_CASES,
  ...LANDING_CASES,
  ...ATTACK_CASES,
];

/** Cases that differ in their history. */
const historySources = (): CaseSource[] =>
  HISTORIES.map(({ name, code, make }) => ({ name, code, build: source(name, make) }));

const source =
  (name: string, make: (world: World) => ForgedCase): CaseSource["build"] =>
  (digits, files = {}) => {
    const world = createWorld(digits, files);
    return toCase(world, name, make(world));
  };

/** Cases that differ in the text of the statement. */
const textSources = (): CaseSource[] =>
  [...TEXT_CASES, ...HONEST_TEXTS.map((one) => ({ ...one, code: null }))].map(({ name, code, write }) => ({
    name,
    code,
    build: source(name, ({ last, statement }) => ({
      head: last,
      lines: [{ payload: write(JSON.stringify(statement)), keys: ["ada"] }],
    })),
  }));

/** Cases that differ in the facts of the statement, with each way to land. */
function statementSources(): CaseSource[] {
  const rules = RULE_CASES.map((one) => ({ ...one, commit: undefined }));
  const statements = STATEMENT_CASES.map((one) => ({ ...one, policy: {} }));
  return [...statements, ...rules].flatMap(({ name, edits, policy, code, commit }) =>
    Object.entries(LANDINGS).map(([how, land]) => ({
      name: `${name}, ${how}`,
      code: code ?? (how === "squashed" ? "SUPERSEDED_STATE" : (commit ?? "")),
      build: source(`${name}, ${how}`, (world) => {
        const payload = JSON.stringify(applyEdits(world, edits));
        return { ...land(world), policy, lines: [{ payload, keys: ["ada"] }] };
      }),
    })),
  );
}

export const caseSources = (): CaseSource[] => [...historySources(), ...textSources(), ...statementSources()];

/** Every case as data, with ids of so many digits. */
export const allCases = (digits: 40 | 64): ExpectedCase[] =>
  caseSources().map(({ code, build }) => ({ code, model: build(digits) }));

type Edit = readonly [path: string, value: unknown];
type Json = Record<string, unknown>;

function applyEdits(world: World, edits: readonly Edit[]): unknown {
  const statement = JSON.parse(JSON.stringify(world.statement)) as Json;
  for (const [path, value] of edits) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const place = names.reduce((at, name) => at[name] as Json, statement);
    const written = resolveValue(world, statement, value);
    if (written === undefined) delete place[last];
    else if (written === "REMOVE") (place as unknown as unknown[]).splice(Number(last), 1);
    else place[last] = written;
  }
  return statement;
}

/** `COPY <path>`, `REVERSED <path>`, `TREE <state>` and `POINT <state>` stand for parts of the statement. */
function resolveValue(world: World, statement: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => resolveValue(world, statement, item));
  const [word, argument] = readReference(value);
  const digest = world.statement.subject[Number(argument)]?.digest;
  if (word === "TREE") return digest?.gitTree;
  if (word === "POINT") return { commit: digest?.gitCommit, tree: digest?.gitTree };
  if (word !== "COPY" && word !== "REVERSED") return value;
  const part = argument.split(".").reduce<unknown>((at, name) => (at as Json)[name], statement);
  return word === "COPY" ? structuredClone(part) : (part as unknown[]).toReversed();
}

const readReference = (value: unknown): readonly [word: string, argument: string] => {
  const [, word = "", argument = ""] = /^([A-Z]{4,8}) (\S+)$/.exec(typeof value === "string" ? value : "") ?? [];
  return [word, argument];
};
