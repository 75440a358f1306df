import { join } from "node:path";
import { describe, expect, test } from "vitest";
import frozen from "./version-1.json" with { type: "json" };
import { ROOT } from "../docs/markdown.ts";
import { breakingChanges } from "./breaking-changes.ts";
import { formatsPage } from "./formats-page.ts";
import { FORMATS, formatSchemas, type JsonSchema, reachableTypes } from "./schemas.ts";

type Schemas = Readonly<Record<string, JsonSchema>>;

const schemas = formatSchemas();
const now: Schemas = Object.fromEntries(
  reachableTypes(
    schemas,
    FORMATS.flatMap(({ roots }) => roots),
  ).map((name) => [name, schemas[name] ?? {}]),
);
const names = Object.keys(frozen);

test("have a reference page that matches the schemas (update with: npx vitest run test/formats -u)", async () => {
  await expect(formatsPage()).toMatchFileSnapshot(join(ROOT, "docs/reference/formats.md"));
});

test("freezes the types of every format", () => {
  expect(names.length).toBeGreaterThan(60);
  for (const root of FORMATS.flatMap(({ roots }) => roots)) expect(names).toContain(root);
});

test.for(names)("keeps all fields and values of %s", (name) => {
  const current = now[name];
  if (current === undefined) throw new Error(`${name} is frozen and no longer exists`);
  expect(breakingChanges({ frozen: (frozen as Schemas)[name] ?? {}, now: current, at: name })).toEqual([]);
});

test.runIf(process.env["ISDLC_FREEZE_FORMATS"] === "1")(
  "writes the frozen types (only with ISDLC_FREEZE_FORMATS=1)",
  async () => {
    await expect(`${JSON.stringify(now, null, 1)}\n`).toMatchFileSnapshot(join(import.meta.dirname, "version-1.json"));
  },
);

describe("the comparison", () => {
  const object = (properties: Schemas, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
    type: "object",
    properties,
    required,
  });
  const text: JsonSchema = { type: "string" };
  const base = object({ a: text, b: { enum: ["x", "y"] }, c: { type: "array", items: object({ d: text }) } });
  const union = (...kinds: string[]): JsonSchema => ({ oneOf: kinds.map((kind) => object({ kind: { const: kind } })) });

  test.for<[string, JsonSchema, JsonSchema, string]>([
    ["a removed field", object({ a: text, e: text }), object({ a: text }), "x.e: removed"],
    ["a new required field", object({ a: text }), object({ a: text, e: text }), "x.e: became required"],
    ["a field that became optional", object({ a: text }), object({ a: text }, []), "x.a: became optional"],
    ["another type", object({ a: text }), object({ a: { type: "number" } }), "x.a: no longer string"],
    ["a removed value", base, object({ ...base.properties, b: { enum: ["x"] } }), "x.b: no value y"],
    [
      "a change in a list",
      base,
      object({ ...base.properties, c: { type: "array", items: object({}) } }),
      "x.c[].d: removed",
    ],
    ["a removed variant", union("one", "two"), union("one"), "x: no variant two"],
    ["another reference", { $ref: "#A" }, { $ref: "#B" }, "x: refers to #B instead of #A"],
  ])("reports %s", ([, before, after, change]) => {
    expect(breakingChanges({ frozen: before, now: after, at: "x" })).toContain(change);
  });

  test("accepts new optional fields, values and variants", () => {
    const more = object({ ...base.properties, b: { enum: ["x", "y", "z"] }, e: text }, base.required);
    expect(breakingChanges({ frozen: base, now: more, at: "x" })).toEqual([]);
    expect(breakingChanges({ frozen: union("one"), now: union("one", "two"), at: "x" })).toEqual([]);
  });
});
