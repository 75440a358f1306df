import { actingReason } from "../changes/acting-files.ts";
import { fileKind, isSource } from "./file-kind.ts";
import type { Move } from "./moved-lines.ts";

/** Facts about a change that are not in its patch. What is unknown is left out. */
export type MarkFacts = {
  /** Files written outside of the paths allowed to the phase. */
  readonly outside: ReadonlySet<string>;
  /** Files edited by the user since the last review. */
  readonly byHand: ReadonlySet<string>;
  /** Commits before the change, newest first, each with its title and files. */
  readonly history: readonly PastCommit[];
  /** Test files of the base by the word that they contain: the name of a file. */
  readonly namedBy: ReadonlyMap<string, readonly string[]>;
};

export type PastCommit = { readonly title: string; readonly paths: readonly string[] };

/** Returns facts to know while reading a file. They do not change the order: measured, none of them finds defects. */
export function fileMarks(path: string, changed: readonly string[], facts: MarkFacts): string[] {
  const acting = actingReason(path);
  return [
    ...(acting === null ? [] : [`takes effect by itself: ${acting}`]),
    ...sensitiveMark(path),
    ...(facts.outside.has(path) ? ["written outside of the paths allowed to the phase"] : []),
    ...(facts.byHand.has(path) ? ["edited by hand since the last review"] : []),
    ...testMark(path, changed, facts.namedBy),
    ...partnerMark(path, changed, facts.history),
    ...fixMark(path, facts.history),
  ];
}

const SENSITIVE =
  /(?:^|[/_.-])(auth|authn|authz|authentication|authorization|login|logins|session|sessions|password|passwords|passwd|secret|secrets|token|tokens|credential|credentials|crypto|cipher|permission|permissions|payment|payments|billing|sandbox|security)(?:[/_.-]|$)/i;

function sensitiveMark(path: string): string[] {
  const word = SENSITIVE.exec(path.replaceAll(/([a-z])([A-Z])/g, "$1-$2"))?.[1];
  return word === undefined || fileKind(path) === "document" ? [] : [`sensitive path: "${word.toLowerCase()}"`];
}

/** Describes the blocks that moved into or out of a file. */
export function moveMarks(path: string, moves: readonly Move[]): string[] {
  const lines = ({ first, last }: Move["to"]): string => `lines ${first} to ${last}`;
  const edits = (edited: number): string => (edited === 0 ? "unchanged" : `with ${edited} edited`);
  return moves.flatMap(({ from, to, same, edited }) => [
    ...(to.path === path ? [`${lines(to)} moved from ${from.path}, ${same} lines, ${edits(edited)}`] : []),
    ...(from.path === path && to.path !== path ? [`${lines(from)} before the change moved to ${to.path}`] : []),
  ]);
}

const MAX_NAMED_TESTS = 3;

/** A changed test belongs to the file if its name contains the file's name, or if it names the file. */
function testMark(path: string, changed: readonly string[], namedBy: MarkFacts["namedBy"]): string[] {
  const kind = fileKind(path);
  if ((kind !== "code" && kind !== "contract") || !isSource(path)) return [];
  const tests = namedBy.get(fileWord(path)) ?? [];
  const name = fileWord(path);
  const isTest = (other: string): boolean => fileKind(other) === "test";
  if (changed.some((other) => isTest(other) && (tests.includes(other) || isNamedAfter(other, name)))) return [];
  const shown = tests.slice(0, MAX_NAMED_TESTS).join(", ");
  const more = tests.length > MAX_NAMED_TESTS ? ` and ${tests.length - MAX_NAMED_TESTS} more` : "";
  if (tests.length > 0) return [`no test changed with it; tests that name it: ${shown}${more}`];
  return ["no test changed with it"];
}

/** Returns the word by which tests name a file: `src/cart/total.ts` → `total`; for a general name, its folder. */
export function fileWord(path: string): string {
  const parts = path.split("/");
  const name = (parts.at(-1) ?? "").replace(/\..*$/, "");
  return /^(?:index|main|mod|lib|__init__)$/.test(name) ? (parts.at(-2) ?? name) : name;
}

const words = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const isNamedAfter = (test: string, name: string): boolean => {
  const own = words((test.split("/").at(-1) ?? "").replace(/\.[^.]*$/, ""));
  return words(name).length > 1 && own.replaceAll(/test|spec/g, "") === words(name).replaceAll(/test|spec/g, "");
};

/** A pair counts if it changed together at least this often, and in this share of the file's changes. */
const MIN_TOGETHER = 4;
const USUALLY = 0.6;
/** Commits with more files say nothing about pairs. */
const MAX_COMMIT_FILES = 30;

function partnerMark(path: string, changed: readonly string[], history: readonly PastCommit[]): string[] {
  const own = history.filter(({ paths }) => paths.includes(path) && paths.length <= MAX_COMMIT_FILES);
  const counts = new Map<string, number>();
  for (const { paths } of own) for (const other of paths) counts.set(other, (counts.get(other) ?? 0) + 1);
  const missing = [...counts]
    .filter(([other, count]) => other !== path && count >= MIN_TOGETHER && count / own.length >= USUALLY)
    .filter(([other]) => !changed.includes(other) && fileKind(other) !== "lock")
    .toSorted(([a, one], [b, two]) => two - one || (a < b ? -1 : 1));
  const [first] = missing;
  if (first === undefined) return [];
  return [`usually changes together with ${first[0]}, which did not change (${first[1]} of its ${own.length} changes)`];
}

const FIX = /^(?:fix|bug ?fix|hot ?fix|revert)\b|\b(?:fix(?:es|ed)?|bug|regression)\b/i;
const OFTEN = 3;

function fixMark(path: string, history: readonly PastCommit[]): string[] {
  const own = history.filter(({ paths }) => paths.includes(path));
  const fixes = own.filter(({ title }) => FIX.test(title)).length;
  return fixes < OFTEN ? [] : [`fixed often: ${fixes} of its ${own.length} last changes by their titles`];
}
