import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  parseTree,
  type ParseError,
} from "jsonc-parser";
import { parse as parseToml } from "smol-toml";

/** Edit of one file for an integration. The rest of the file stays unchanged, byte for byte. */
export type FileEdit =
  /** Values at paths of a JSON file. */
  | { readonly is: "values"; readonly values: readonly (readonly [JSONPath, unknown])[] }
  /** Members of lists in a JSON file, in addition to existing ones. */
  | { readonly is: "members"; readonly members: readonly (readonly [JSONPath, unknown])[] }
  /** Lines at the end of a TOML file, between our markers. */
  | { readonly is: "block"; readonly text: string }
  /** File that belongs to isdlc alone. */
  | { readonly is: "whole"; readonly text: string };

export type EditResult =
  | { readonly ok: true; readonly text: string | null }
  | { readonly ok: false; readonly detail: string };

const FIRST = "# >>> isdlc: made by isdlc install, taken away by isdlc uninstall\n";
const LAST = "# <<< isdlc\n";

/** Adds the edit. Returns the same text if it is already present. `null` stands for no file. */
export function addTo(text: string | null, edit: FileEdit): EditResult {
  switch (edit.is) {
    case "whole":
      return { ok: true, text: edit.text };
    case "block":
      return withBlock(text, edit.text);
    case "values":
      return changedJson(text, (now) => edit.values.reduce((all, [path, value]) => setValue(all, path, value), now));
    case "members":
      return changedJson(text, (now) => edit.members.reduce((all, [path, value]) => addMember(all, path, value), now));
    default:
      return edit satisfies never;
  }
}

/** Removes the edit; text of others stays. `null` stands for no file. */
export function removeFrom(text: string | null, edit: FileEdit): EditResult {
  if (text === null || edit.is === "whole") return { ok: true, text: null };
  if (edit.is === "block") return { ok: true, text: withoutBlock(text, edit.text) };
  const remove = edit.is === "values" ? removeValue : removeMember;
  const places = edit.is === "values" ? edit.values : edit.members;
  return changedJson(text, (now) => places.reduce((all, [path, value]) => remove(all, path, value), now));
}

/** True if the file contains the whole edit. The product may have added values of its own to a block of TOML. */
export function isIn(text: string | null, edit: FileEdit): boolean {
  const added = addTo(text, edit);
  return added.ok && text !== null && added.text === text;
}

/** True if the file contains anything of the edit, changed or not. */
export function isPartlyIn(text: string | null, edit: FileEdit): boolean {
  const removed = removeFrom(text, edit);
  return text !== null && removed.ok && removed.text !== text;
}

function changedJson(text: string | null, change: (text: string) => string): EditResult {
  const now = text === null || text.trim() === "" ? "{}\n" : text;
  const errors: ParseError[] = [];
  const root = parseTree(now, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root?.type !== "object") return { ok: false, detail: "it is not a JSON object" };
  return { ok: true, text: change(now) };
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

function setValue(text: string, path: JSONPath, value: unknown): string {
  return sameValue(valueAt(text, path), value) ? text : applyEdits(text, modify(text, path, value, FORMAT));
}

/** Also removes a parent that becomes empty: it was created for this value. */
function removeValue(text: string, path: JSONPath): string {
  if (valueAt(text, path) === undefined) return text;
  const without = applyEdits(text, modify(text, path, undefined, FORMAT));
  const parent = path.slice(0, -1);
  const isEmpty = parent.length > 0 && sameValue(valueAt(without, parent), {});
  return isEmpty ? removeValue(without, parent) : without;
}

function addMember(text: string, path: JSONPath, value: unknown): string {
  const members = valueAt(text, path);
  if (members === undefined) return setValue(text, path, [value]);
  if (!Array.isArray(members) || members.some((one) => sameValue(one, value))) return text;
  return applyEdits(text, modify(text, [...path, members.length], value, { ...FORMAT, isArrayInsertion: true }));
}

function removeMember(text: string, path: JSONPath, value: unknown): string {
  const members = valueAt(text, path);
  const at = Array.isArray(members) ? members.findIndex((one) => sameValue(one, value)) : -1;
  if (at === -1 || !Array.isArray(members)) return text;
  return members.length === 1
    ? removeValue(text, path)
    : applyEdits(text, modify(text, [...path, at], undefined, FORMAT));
}

function valueAt(text: string, path: JSONPath): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  return node === undefined ? undefined : getNodeValue(node);
}

const sameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function withBlock(text: string | null, block: string): EditResult {
  if (text !== null && hasBlock(text, block)) return { ok: true, text };
  const others = withoutBlock(text ?? "", block);
  const separator = others === "" || others.endsWith("\n") ? "" : "\n";
  const whole = `${others}${separator}${FIRST}${block}${LAST}`;
  const trouble = tomlTrouble(others) ?? tomlTrouble(whole);
  return trouble === null ? { ok: true, text: whole } : { ok: false, detail: trouble };
}

function hasBlock(text: string, block: string): boolean {
  if (!text.includes(FIRST) || !text.includes(LAST) || tomlTrouble(text) !== null) return false;
  return contains(parseToml(text), parseToml(block));
}

/** True if every value of `part` is in `whole`. */
function contains(whole: unknown, part: unknown): boolean {
  if (!isTable(part)) return sameValue(whole, part);
  return isTable(whole) && Object.entries(part).every(([key, value]) => contains(whole[key], value));
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Removes our tables, and keeps tables that the product added between our markers. */
function withoutBlock(text: string, block: string): string {
  const from = text.indexOf(FIRST);
  const to = text.indexOf(LAST, from);
  if (from === -1 || to === -1) return text;
  return text.slice(0, from) + foreignTables(text.slice(from + FIRST.length, to), block) + text.slice(to + LAST.length);
}

/** Start of a table, up to the next one. */
const TABLES = /^(?=\[)/m;

function foreignTables(inner: string, block: string): string {
  const own = block.split(TABLES).map((table) => tableName(table));
  return inner
    .split(TABLES)
    .filter((table) => table.startsWith("[") && !own.some((name) => isTableUnder(tableName(table), name)))
    .join("");
}

const tableName = (table: string): string => /^\[+([^\]\n]*)/.exec(table)?.[1]?.trim() ?? "";

const isTableUnder = (name: string, own: string): boolean => name === own || name.startsWith(`${own}.`);

function tomlTrouble(text: string): string | null {
  try {
    parseToml(text);
    return null;
  } catch (error) {
    return `it is not TOML that could be added to: ${String(error).split("\n", 1)[0]}`;
  }
}
