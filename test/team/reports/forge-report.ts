import type { Dice } from "../../support/dice.ts";

type Json = unknown;

/** Replacements for a value by a malicious worker. */
const FORGERIES: readonly ((value: Json) => Json)[] = [
  () => null,
  () => undefined,
  () => true,
  () => false,
  () => 0,
  () => "",
  () => [],
  () => ({}),
  (value) => (typeof value === "string" ? `${value}x` : "merge"),
  (value) => (typeof value === "number" ? value + 1 : "main"),
  (value) => (Array.isArray(value) ? value.slice(1) : "b".repeat(40)),
  (value) => (typeof value === "boolean" ? !value : [value]),
];

/** Decisions that no report contains, to be added. */
const ADDED: readonly (readonly [string, Json])[] = [
  ["settings", { is: "set", enabled: false, phases: [], minimal: true }],
  ["supervision", { enabled: false, phases: [] }],
  ["options", { finish: "merge", sizing: "accept", light: true }],
  ["by", { name: "ada", channel: "terminal" }],
  ["choice", "continue"],
  ["effective", "light"],
  ["how", "merge"],
  ["leadsTo", "complete"],
  ["plan", []],
];

type Path = readonly (string | number)[];

/** Paths of all values in a report, including objects and lists. */
export function pathsIn(value: Json, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    pathsIn(one, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? inner : [at, ...inner];
}

export function withValue(value: Json, [key, ...rest]: Path, change: (old: Json) => Json): Json {
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one: Json, index) => (index === key ? withValue(one, rest, change) : one));
  const record = value as Readonly<Record<string, Json>>; // A path leads through objects and lists.
  const changed = withValue(record[key], rest, change);
  const { [key]: _old, ...others } = record;
  return changed === undefined ? others : { ...others, [key]: changed };
}

/** Rewrites one to three fields of a report, or adds a decision to its outcome. */
export function forgeReport(report: Readonly<Record<string, Json>>, dice: Dice): Readonly<Record<string, Json>> {
  let forged: Json = report;
  for (let left = dice.of([1, 1, 2, 3]); left > 0; left--) {
    if (dice.chance(15)) {
      const [name, value] = dice.of(ADDED);
      const outcome = (forged as { outcome?: Json }).outcome;
      if (typeof outcome === "object" && outcome !== null) forged = withValue(forged, ["outcome", name], () => value);
      continue;
    }
    const paths = pathsIn(forged).filter(([first]) => first !== "do");
    if (paths.length > 0) forged = withValue(forged, dice.of(paths), dice.of(FORGERIES));
  }
  return forged as Readonly<Record<string, Json>>;
}
