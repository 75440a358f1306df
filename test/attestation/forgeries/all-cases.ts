import type { CaseModel } from "./case-model.ts";
import { createWorld, type Made, toCase, type World } from "./case-world.ts";
import { FORGED_APPROVAL_CASES } from "./forged-approval-cases.ts";
import { FORGED_BRANCH_CASES } from "./forged-branch-cases.ts";
import { FORGED_HISTORY_CASES } from "./forged-history-cases.ts";
import { HONEST_CASES } from "./honest-cases.ts";
import { LANDING_CASES } from "./landing-cases.ts";
import { RULE_CASES, STATEMENT_CASES } from "./statement-cases.ts";
import { HONEST_TEXTS, TEXT_CASES } from "./text-cases.ts";
import type { Files } from "./repository-model.ts";

/** A case with the code it is refused with. Null: it is accepted. */
export type ExpectedCase = { readonly model: CaseModel; readonly code: string | null };

const LANDINGS: Readonly<Record<string, (world: World) => Made>> = {
  "as it is": ({ last }) => ({ head: last }),
  merged: ({ merge, move, last }) => {
    const base = move();
    return { base, head: merge(base, last) };
  },
  squashed: ({ squash, root, last }) => ({ head: squash(root, last) }),
};

/** Cases that differ in their history. */
export function historyCases(digits: 40 | 64, files: Files = {}): ExpectedCase[] {
  return [
    ...HONEST_CASES,
    ...FORGED_HISTORY_CASES,
    ...FORGED_BRANCH_CASES,
    ...FORGED_APPROVAL_CASES,
    ...LANDING_CASES,
  ].map(({ name, code, make }) => {
    const world = createWorld(digits, files);
    return { model: toCase(world, name, make(world)), code };
  });
}

/** Cases that differ in the text of the statement. */
function textCases(digits: 40 | 64, files: Files): ExpectedCase[] {
  const honest = HONEST_TEXTS.map((one) => ({ ...one, code: null }));
  return [...TEXT_CASES, ...honest].map(({ name, code, write }) => {
    const world = createWorld(digits, files);
    const payload = write(JSON.stringify(world.statement));
    return { model: toCase(world, name, { head: world.last, lines: [{ payload, keys: ["ada"] }] }), code };
  });
}

/** Every case, as repositories with ids of so many digits. `files` are on the base of each. */
export function allCases(digits: 40 | 64, files: Files = {}): ExpectedCase[] {
  const edited = (name: string, edits: readonly Edit[], policy: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(LANDINGS).map(([how, make]) => {
      const world = createWorld(digits, files);
      const payload = JSON.stringify(applyEdits(world, edits));
      const made = { ...make(world), policy, lines: [{ payload, keys: ["ada" as const] }] };
      return toCase(world, `${name}, ${how}`, made);
    });
  return [
    ...historyCases(digits, files),
    ...textCases(digits, files),
    ...STATEMENT_CASES.flatMap(({ name, edits, code, commit }) =>
      edited(name, edits).map((model) => ({
        model,
        code: code ?? (model.name.endsWith(", squashed") ? "SUPERSEDED_STATE" : (commit ?? "")),
      })),
    ),
    ...RULE_CASES.flatMap(({ name, edits, policy, code }) =>
      edited(name, edits, policy).map((model) => ({ model, code })),
    ),
  ];
}

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
