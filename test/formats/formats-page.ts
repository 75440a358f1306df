import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FORMATS, formatSchemas, type FormatGroup, type JsonSchema, reachableTypes } from "./schemas.ts";
import { ROOT } from "../docs/markdown.ts";

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Content of docs/reference/formats.md. */
export function formatsPage(): string {
  const schemas = formatSchemas();
  const printed = new Set<string>();
  const sections = FORMATS.flatMap((group) => groupLines(schemas, group, printed));
  return [
    "# Formats, version 1",
    "",
    "This page lists every field that isdlc writes or reads: in journals, attestations, settings, `--json` output and the HTTP API. It is generated from the schemas in `src/schema`.",
    "",
    "Within version 1, names and meanings do not change and no field becomes required. New optional fields, event types and values can be added. `test/formats` compares the schemas with the frozen ones.",
    "",
    "A field with `?` is optional.",
    "",
    ...sections,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function groupLines(schemas: Schemas, { title, about, roots }: FormatGroup, printed: Set<string>): string[] {
  const names = reachableTypes(schemas, roots).filter((name) => !printed.has(name) && !isPlain(schemas[name]));
  for (const name of names) printed.add(name);
  return [`## ${title}`, "", about, "", ...names.flatMap((name) => typeLines(name, schemas))];
}

/** True for types that fit into the cell of the field that has them. */
const isPlain = (schema: JsonSchema | undefined): boolean =>
  schema?.properties === undefined && schema?.anyOf === undefined && schema?.oneOf === undefined;

function typeLines(name: string, schemas: Schemas): string[] {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`The schema has no type ${name}.`);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants === undefined) return [`### ${name}`, "", ...fieldTable(name, schema, schemas)];
  const tables = variants.map((variant) => {
    const key = discriminant(variant);
    if (key === null) return [`- ${typeText(variant, schemas)}`, ""];
    const owner = name === "EventDraft" ? key.value : name;
    return [`**\`${key.field}: "${key.value}"\`**`, "", ...fieldTable(owner, variant, schemas)];
  });
  return [`### ${name}`, "", "One of:", "", ...tables.flat()];
}

/** Returns the field that selects a variant, such as `type: "run.started"`. */
function discriminant({ properties = {} }: JsonSchema): { field: string; value: string } | null {
  for (const [field, { const: value }] of Object.entries(properties))
    if (typeof value === "string") return { field, value };
  return null;
}

function fieldTable(name: string, { properties = {}, required = [] }: JsonSchema, schemas: Schemas): string[] {
  const fields = Object.entries(properties).filter(([, { const: value }]) => typeof value !== "string");
  if (fields.length === 0) return ["No further fields.", ""];
  const rows = fields.map(([field, schema]) => {
    const optional = required.includes(field) ? "" : "?";
    return `| \`${field}\`${optional} | ${typeText(schema, schemas)} | ${comments().get(`${name}.${field}`) ?? ""} |`;
  });
  return ["| field | type | meaning |", "|---|---|---|", ...rows, ""];
}

function typeText(schema: JsonSchema, schemas: Schemas): string {
  const { $ref, const: value, enum: values, items, anyOf, oneOf = anyOf } = schema;
  if ($ref !== undefined) return linkText($ref, schemas);
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values !== undefined) return values.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  if (oneOf !== undefined) return oneOf.map((each) => typeText(each, schemas)).join(" or ");
  return items === undefined ? objectText(schema, schemas) : `list of ${typeText(items, schemas)}`;
}

function linkText(reference: string, schemas: Schemas): string {
  const target = schemas[reference.slice(1)] ?? {};
  return isPlain(target) ? typeText(target, schemas) : `[${reference.slice(1)}](${reference.toLowerCase()})`;
}

function objectText(schema: JsonSchema, schemas: Schemas): string {
  const { additionalProperties: values, properties, type = "any value" } = schema;
  if (typeof values === "object") return `object with values of ${typeText(values, schemas)}`;
  return properties === undefined ? [type].flat().join(" or ") : `object (${fieldNames(schema)})`;
}

const fieldNames = ({ properties = {}, required = [] }: JsonSchema): string =>
  Object.keys(properties)
    .map((field) => `\`${field}\`${required.includes(field) ? "" : "?"}`)
    .join(", ");

let known: Map<string, string> | null = null;

/** Comments of fields in the sources, by `Type.field`. */
function comments(): Map<string, string> {
  known ??= readComments();
  return known;
}

function readComments(): Map<string, string> {
  const found = new Map<string, string>();
  const folder = join(ROOT, "src/schema");
  for (const file of readdirSync(folder))
    for (const [, name = "", block = ""] of readFileSync(join(folder, file), "utf8").matchAll(DECLARATION))
      for (const [variant, text] of variantsIn(name, block))
        for (const [, comment = "", field = ""] of text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+):/g))
          if (isUnique(field, text)) found.set(`${variant}.${field}`, cellText(comment));
  return found;
}

const DECLARATION = /^export const (\w+)[^\n]*?= z([\s\S]*?)\n(?=\S*\)|\]|\})/gm;

/** Splits the declaration of the events. A block is a variant with its text. */
function variantsIn(name: string, block: string): [string, string][] {
  if (name !== "EventDraft") return [[name, block]];
  return block.split(/^ {2}event\("/m).map((text) => [text.slice(0, text.indexOf('"')), text]);
}

/** In a union, a comment belongs to one of several fields with the same name: such comments are omitted. */
const isUnique = (field: string, text: string): boolean =>
  [...text.matchAll(new RegExp(`^ {2,4}${field}:`, "gm"))].length === 1;

const cellText = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("|", String.raw`\|`)
    .replaceAll("<", "&lt;");
