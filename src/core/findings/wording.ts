import { isFileName, isSameFile, withoutLine } from "./location.ts";

/** Content of a description, independent of its phrasing. */
export type Wording = {
  /** Whole text in lower case with single spaces. Equal texts are the same finding. */
  readonly text: string;
  /** Stems of general words, with their weights. */
  readonly words: ReadonlyMap<string, number>;
  /** Identifiers and files in the text, each with its stems. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Numbered things in the text: `ac-12`, `section-3`. */
  readonly numbered: ReadonlySet<string>;
};

export type FindingText = {
  readonly description: string;
  readonly location: string | null;
  readonly file: string | null;
};

/** Characters of a description to compare; the rest is ignored. */
const READ_LENGTH = 2000;
/** Maximum number of distinct words, and of distinct names. */
const MAX_WORDS = 40;
/**
 * Identifiers with separators: `config.timeout`, `AC-12`, `src/a.ts:42`, `parse_config`. The two classes do not
 * overlap.
 */
const CHUNK = /[\p{L}\p{N}_$]+(?:[.:#/'’-]{1,2}[\p{L}\p{N}_$]+)*/gu;

export function parseWording({ description, location, file }: FindingText): Wording {
  const text = description.slice(0, READ_LENGTH);
  const words = new Map<string, number>();
  const names = new Map<string, readonly string[]>();
  const numbered = new Set(numberedIn(location ?? ""));
  let label = "";
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    const number = numberedThing(label, chunk);
    label = chunk.toLowerCase();
    if (number !== null) numbered.add(number);
    if (number !== null || SILENT.has(label) || matchesFileName(file, chunk)) continue;
    const stems = listStems(chunk);
    for (const name of namesIn(chunk, { before: text.slice(0, index), after: text.slice(index + chunk.length) }))
      if (names.size < MAX_WORDS) names.set(name, stems);
    for (const stem of stems) if (words.size < MAX_WORDS) words.set(stem, stemWeight(stem));
  }
  return { text: text.toLowerCase().replaceAll(/\s+/g, " ").trim(), words, names, numbered };
}

/** The name of the finding's own file adds no information. */
const matchesFileName = (file: string | null, chunk: string): boolean => {
  if (file === null || !chunk.includes(".")) return false;
  const { name } = withoutLine(chunk);
  return isFileName(name) && isSameFile(file, name);
};

function numberedIn(location: string): string[] {
  const chunks = [...location.matchAll(CHUNK)]
    .map(([chunk]) => chunk)
    .filter((chunk) => !isFileName(withoutLine(chunk).name));
  return chunks.flatMap((chunk, index) => numberedThing((chunks[index - 1] ?? "").toLowerCase(), chunk) ?? []);
}

/** Words that make a bare number a name: "task 3" and "task 4" are different things. */
const LABELS = new Set(
  (
    "ac acceptance article chapter criterion figure fr item nfr phase point question req requirement risk " +
    "rule section step story table task"
  ).split(" "),
);

/** Parses `AC-12`, `R2.4` and `section 3`. Null for other words, and for lines, which move. */
function numberedThing(label: string, chunk: string): string | null {
  if (!/\d/.test(chunk)) return null;
  const low = chunk.toLowerCase();
  if (/^\d+(?:\.\d+)*[a-z]?$/.test(low)) return toNumberWord(label, low);
  const found = /^([a-z]{1,8})-?(\d+(?:\.\d+)*[a-z]?)$/.exec(low);
  return found?.[1] === undefined || found[1] === "l" || found[1] === "line" ? null : `${found[1]}-${found[2]}`;
}

function toNumberWord(label: string, number: string): string | null {
  const one = label.replace(/s$/, "");
  return LABELS.has(one) ? `${one}-${number}` : null;
}

/** Returns the identifiers or the file name in a chunk. A plain word counts only if it is quoted or called. */
function namesIn(chunk: string, { before, after }: { before: string; after: string }): readonly string[] {
  const mark = before.at(-1);
  const quoted = mark !== undefined && QUOTES.has(mark) && (after.startsWith(mark) || after.startsWith("("));
  const called = after.startsWith("(") && !after.startsWith("(s)");
  if (!quoted && !called && !SHAPED.test(chunk)) return [];
  const { name } = withoutLine(chunk.replace(/['’].*$/, ""));
  if (isFileName(name)) return [name.slice(name.lastIndexOf("/") + 1).toLowerCase()];
  return /[/-]/.test(name) ? [] : name.toLowerCase().split(/[.:#]+/);
}

const QUOTES = new Set(["`", "'", '"']);
/** camelCase, snake_case, and names joined by `.`, `::` or `#`. */
const SHAPED = /\p{Ll}\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|[\p{L}\p{N}](?:\.|::|#)\p{L}/u;

function listStems(chunk: string): string[] {
  if (/^[a-z]{2,}$/.test(chunk)) return listMeanings(chunk);
  return chunk
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replaceAll(/n['’]t$/g, " not")
    .replaceAll(/['’][a-z]*$/g, "")
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 1 && !SILENT.has(word))
    .flatMap(listMeanings);
}

/** Splits "untested" into two meanings: lacking, and test. */
function listMeanings(word: string): string[] {
  const denied = SAME.has(word) ? undefined : /^un(.{3,})$/.exec(word)?.[1];
  if (denied !== undefined && DENIABLE.has(stem(denied))) return ["lack", meaning(denied)];
  return [meaning(word)];
}

const meaning = (word: string): string => SAME.get(word) ?? SAME.get(stem(word)) ?? stem(word);

const ENDINGS =
  /(?:izations?|izing|ized|izes?|abl[ey]|ibl[ey]|abilit(?:y|ies)|ations?|ison|ating|ated|ates?|ments?|ings?|ions?|ied|ies|ers?|ed|es|ly|s|e|y)$/;

/** Coarse on purpose: it only needs the same stem for "validate", "validated" and "validation". */
function stem(word: string): string {
  const short = word.replace(ENDINGS, "");
  const cut = short.length >= 3 ? short : word;
  return /([b-df-hj-np-rtv-z])\1$/.test(cut) && cut.length > 3 ? cut.slice(0, -1) : cut;
}

const group = (name: string, words: string): [string, string][] =>
  words.split(" ").flatMap((word) => [
    [word, name],
    [stem(word), name],
  ]);

/** Words and stems used as synonyms by reviewers. */
const SAME = new Map<string, string>([
  ...group(
    "lack",
    "no not non never missing lack absent without cannot omit omitted neither nor none forgot forgotten",
  ),
  ...group("check", "check verify validate ensure assert guard"),
  ...group("fail", "crash throw thrown threw fail failure break broken raise abort"),
  ...group("error", "error exception"),
  ...group("null", "null nil undefined"),
  ...group("remove", "remove delete drop"),
  ...group("tell", "describe specify define document state stated mention explain explanation say clarify name"),
  ...group("input", "input argument parameter param arg"),
  ...group("race", "race concurrent concurrency parallel simultaneous"),
  ...group("close", "close release leak"),
  ...group("catch", "catch caught handle swallow"),
  ...group("cover", "cover coverage address"),
  ...group("rollback", "rollback roll revert"),
  ...group("remain", "remain stay"),
]);

/** Words negated with "un-" in reviews. */
const DENIABLE = new Set(
  "tested validated handled checked specified documented defined escaped caught covered bounded closed released used sanitized verified"
    .split(" ")
    .map(stem),
);

/** Too common in findings to tell them apart. */
const GENERAL = new Set(
  "lack test check error fail tell catch cover code design plan document function method file case require section value path call use used make need input allow possible cause possibly open lead result"
    .split(" ")
    .map(meaning),
);

const stemWeight = (stem: string): number => (stem === "lack" ? 0 : GENERAL.has(stem) ? 0.5 : 1);

const SILENT = new Set(
  (
    "a about after again all also an and any anything are although as at back be because been before being blocker both but by can could currently do does done " +
    "each either even ever every finding fix fixed for from get gets given go has have having here how if in into is issue it " +
    "its itself just line lines may might more must now of on one only or other our out over please previous " +
    "previously problem same see should since so some still such than that the their them then there these they " +
    "this those through thus to too under until up upon very was we were what when where whether which while who why will with would yet you your"
  ).split(" "),
);
