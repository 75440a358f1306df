import type { JsonSchema } from "./schemas.ts";

type Pair = { readonly frozen: JsonSchema; readonly now: JsonSchema; readonly at: string };

/**
 * Returns the changes that break a reader or make earlier data invalid: removed fields, values and variants, other
 * types, and fields that became required or optional. Additions are not reported.
 */
export function breakingChanges({ frozen, now, at }: Pair): string[] {
  return [
    ...otherType({ frozen, now, at }),
    ...changedFields({ frozen, now, at }),
    ...removedVariants({ frozen, now, at }),
    ...nested({ frozen: frozen.items, now: now.items, at: `${at}[]` }),
    ...nested({ frozen: valueSchema(frozen), now: valueSchema(now), at: `${at}{}` }),
  ];
}

function otherType({ frozen, now, at }: Pair): string[] {
  if (frozen.$ref !== now.$ref)
    return [`${at}: refers to ${now.$ref ?? "no type"} instead of ${frozen.$ref ?? "none"}`];
  if (JSON.stringify(frozen.const) !== JSON.stringify(now.const)) return [`${at}: another constant`];
  const types = [now.type ?? []].flat();
  const lost = [frozen.type ?? []].flat().filter((type) => !types.includes(type));
  const values = (frozen.enum ?? []).filter((value) => now.enum !== undefined && !now.enum.includes(value));
  return [
    ...lost.map((type) => `${at}: no longer ${type}`),
    ...values.map((value) => `${at}: no value ${String(value)}`),
  ];
}

function changedFields({ frozen, now, at }: Pair): string[] {
  const before = frozen.properties ?? {};
  const after = now.properties ?? {};
  const wasRequired = new Set(frozen.required);
  const isRequired = new Set(now.required);
  return [
    ...Object.entries(before).flatMap(([field, schema]) => {
      const current = after[field];
      if (current === undefined) return [`${at}.${field}: removed`];
      const optional = wasRequired.has(field) && !isRequired.has(field) ? [`${at}.${field}: became optional`] : [];
      return [...optional, ...breakingChanges({ frozen: schema, now: current, at: `${at}.${field}` })];
    }),
    ...[...isRequired].filter((field) => !wasRequired.has(field)).map((field) => `${at}.${field}: became required`),
  ];
}

/** Compares the variants of a union in pairs: by their constant field, otherwise by their required fields or type. */
function removedVariants({ frozen, now, at }: Pair): string[] {
  const after = new Map(listVariants(now).map((variant) => [variantKey(variant), variant]));
  return listVariants(frozen).flatMap((variant) => {
    const key = variantKey(variant);
    const current = after.get(key);
    if (current === undefined) return [`${at}: no variant ${key}`];
    return breakingChanges({ frozen: variant, now: current, at: `${at}(${key})` });
  });
}

const listVariants = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] => [...anyOf, ...oneOf];

function variantKey(variant: JsonSchema): string {
  if (variant.const !== undefined) return JSON.stringify(variant.const);
  const constant = Object.values(variant.properties ?? {}).find(({ const: value }) => typeof value === "string");
  if (constant !== undefined) return String(constant.const);
  if (variant.properties !== undefined) return `with ${(variant.required ?? []).toSorted().join(", ")}`;
  return variant.$ref ?? (variant.enum === undefined ? [variant.type ?? "union"].flat().join("|") : "values");
}

const valueSchema = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined;

type OptionalPair = {
  readonly frozen: JsonSchema | undefined;
  readonly now: JsonSchema | undefined;
  readonly at: string;
};

function nested({ frozen, now, at }: OptionalPair): string[] {
  if (frozen === undefined) return [];
  return now === undefined ? [`${at}: removed`] : breakingChanges({ frozen, now, at });
}
