import type { Overlay, PersonaChange } from "../../schema/overlay.ts";
import type { PhaseDefinition, WorkflowDefinition } from "../../schema/plan.ts";
import { overlayParts, type BuiltIn, type OverlayPart } from "./overlay-parts.ts";
import { RULE_NAMES, ruleValue } from "./strictness.ts";
import { OWN, ownPath } from "../own-folder.ts";

export type RuleSource = "built-in" | "repository" | "user";

export type GivenOverlay = {
  readonly source: "repository" | "user";
  /** True if a user trusted the content of this file. Overlays of the user need no trust. */
  readonly trusted: boolean;
  readonly file: string;
  readonly content: Overlay;
};

/** Part of a repository's overlay that needs the user's trust. */
export type RefusedPart = { readonly what: string; readonly why: string };

export type ChangedPersona = { readonly source: RuleSource; readonly changes: readonly PersonaChange[] };

/** A workflow with overlays applied. */
export type AppliedOverlays = {
  readonly definition: WorkflowDefinition;
  /** Source of each rule, by `phase.rule`. */
  readonly provenance: Readonly<Record<string, RuleSource>>;
  readonly personas: Readonly<Record<string, ChangedPersona>>;
  readonly refused: readonly RefusedPart[];
  readonly warnings: readonly string[];
};

/** An error in an overlay, with the valid values. */
export type OverlayMistake = {
  readonly file: string;
  readonly place: string;
  readonly detail: string;
  readonly valid: readonly string[];
};

export type OverlayOutcome =
  | { readonly ok: true; readonly applied: AppliedOverlays }
  | { readonly ok: false; readonly mistake: OverlayMistake };

export type { BuiltIn };

/**
 * Applies overlays in order. For an untrusted repository only tightening parts take effect; the others are listed. An
 * overlay with an error fails as a whole.
 */
export function applyOverlays(
  definition: WorkflowDefinition,
  overlays: readonly GivenOverlay[],
  builtIn: BuiltIn,
): OverlayOutcome {
  let applied = asShipped(definition);
  for (const overlay of overlays) {
    const outcome = applyOne(applied, overlay, builtIn);
    if (!outcome.ok) return outcome;
    applied = outcome.applied;
  }
  return { ok: true, applied: { ...applied, warnings: applied.refused.map(formatWarning) } };
}

const formatWarning = ({ what, why }: RefusedPart): string =>
  `${ownPath(OWN.workflows)}: ${what} has no effect, because it needs your trust (${why}); see "isdlc trust".`;

function asShipped(definition: WorkflowDefinition): AppliedOverlays {
  const keys = definition.phases.flatMap(({ key }) => RULE_NAMES.map((rule) => `${key}.${rule}`));
  const provenance = Object.fromEntries(keys.map((key) => [key, "built-in" as const]));
  return { definition, provenance, personas: {}, refused: [], warnings: [] };
}

function applyOne(before: AppliedOverlays, given: GivenOverlay, builtIn: BuiltIn): OverlayOutcome {
  const mistake = (place: string, wrong: Wrong): OverlayOutcome => ({
    ok: false,
    mistake: { file: given.file, place, ...wrong },
  });
  const known = [...builtIn.personas, ...Object.keys(before.personas)];
  const misnamed = misnamedIn(given.content, { ...builtIn, personas: known });
  if (misnamed !== null) return mistake(misnamed.place, misnamed.wrong);

  let effective = withPersonas(before, given);
  let whole: readonly PhaseDefinition[] = before.definition.phases; // as if all parts took effect
  const names = [...known, ...Object.keys(given.content.personas ?? {})];
  for (const part of overlayParts(given.content, before.definition.name)) {
    const wrong = absent(part, whole) ?? mistakeIn(part.apply(whole), names);
    if (wrong !== null) return mistake(part.place, wrong);
    whole = part.apply(whole);
    effective = take(effective, part, { given, builtIn });
  }
  return { ok: true, applied: effective };
}

type Wrong = { readonly detail: string; readonly valid: readonly string[] };

function misnamedIn(content: Overlay, known: BuiltIn): { readonly place: string; readonly wrong: Wrong } | null {
  const workflow = Object.keys(content.workflows ?? {}).find((name) => !known.workflows.includes(name));
  if (workflow !== undefined) {
    const wrong = { detail: `there is no workflow "${workflow}"`, valid: known.workflows };
    return { place: `workflows.${workflow}`, wrong };
  }
  const additions = Object.entries(content.personas ?? {}).filter(([, change]) => typeof change !== "string");
  const persona = additions.map(([name]) => name).find((name) => !known.personas.includes(name));
  if (persona === undefined) return null;
  const wrong = { detail: `there is no persona "${persona}" to append to`, valid: known.personas };
  return { place: `personas.${persona}`, wrong };
}

function absent({ phase }: OverlayPart, phases: readonly PhaseDefinition[]): Wrong | null {
  const valid = phases.map(({ key }) => key);
  return valid.includes(phase) ? null : { detail: `there is no phase "${phase}" in this workflow`, valid };
}

/** Returns why a list of phases cannot run, if it cannot. */
function mistakeIn(phases: readonly PhaseDefinition[], personas: readonly string[]): Wrong | null {
  if (phases.length === 0) return { detail: "no phase would be left", valid: [] };
  const key = twice(phases.map((phase) => phase.key));
  if (key !== undefined) return { detail: `there would be two phases "${key}"`, valid: [] };
  const artifact = twice(phases.flatMap(madeBy));
  if (artifact !== undefined) return { detail: `two phases would make "${artifact}"`, valid: [] };
  const used = phases.flatMap(({ persona, reviewer }) => [persona, reviewer ?? persona]);
  const unknown = used.find((name) => !personas.includes(name));
  return unknown === undefined ? null : { detail: `there is no persona "${unknown}"`, valid: personas };
}

/** Refinement adds the task list to the phase's own outputs. */
const madeBy = ({ outputs, after }: PhaseDefinition): string[] =>
  after.includes("refinement") ? [...outputs, "tasks.md"] : outputs;

const twice = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);

type OverlayContext = { readonly given: GivenOverlay; readonly builtIn: BuiltIn };

/** Applies a part if permitted; lists it as refused otherwise. */
function take(before: AppliedOverlays, part: OverlayPart, { given, builtIn }: OverlayContext): AppliedOverlays {
  const { phases } = before.definition;
  const refuse = (why: string): AppliedOverlays => ({
    ...before,
    refused: [...before.refused, { what: `${part.what} (${before.definition.name})`, why }],
  });
  if (absent(part, phases) !== null) return refuse("its phase has no effect either");
  const loosening = mayLoosen(given) ? null : part.loosens(phases, builtIn);
  if (loosening !== null) return refuse(loosening);
  const after = part.apply(phases);
  const wrong = mistakeIn(after, [...builtIn.personas, ...Object.keys(before.personas)]);
  if (wrong !== null) return refuse(wrong.detail);
  const provenance = { ...before.provenance, ...newSources({ phases, after }, part, given.source) };
  return { ...before, definition: { ...before.definition, phases: [...after] }, provenance };
}

const mayLoosen = ({ source, trusted }: GivenOverlay): boolean => source === "user" || trusted;

type Lists = { readonly phases: readonly PhaseDefinition[]; readonly after: readonly PhaseDefinition[] };

/** Repeating a rule that already applies does not change its source. */
function newSources({ phases, after }: Lists, { sets }: OverlayPart, source: RuleSource): Record<string, RuleSource> {
  if (sets === null) return {};
  const old = phases.find(({ key }) => key === sets.phase);
  const now = after.find(({ key }) => key === sets.phase);
  if (now === undefined) return {};
  const changed = sets.rules.filter(
    (rule) =>
      old === undefined ||
      JSON.stringify(ruleValue(old, rule) ?? null) !== JSON.stringify(ruleValue(now, rule) ?? null),
  );
  return Object.fromEntries(changed.map((rule) => [`${sets.phase}.${rule}`, source]));
}

/** A repository's prompt text always needs trust. */
function withPersonas(before: AppliedOverlays, given: GivenOverlay): AppliedOverlays {
  const changes = Object.entries(given.content.personas ?? {});
  if (!mayLoosen(given)) {
    const refused = changes.map(([name, change]) => ({ what: `the persona ${name}`, why: changeLength(change) }));
    return { ...before, refused: [...before.refused, ...refused] };
  }
  const personas = changes.map(([name, change]): [string, ChangedPersona] => {
    const earlier = Object.hasOwn(before.personas, name) ? (before.personas[name]?.changes ?? []) : [];
    return [name, { source: given.source, changes: [...earlier, change] }];
  });
  return { ...before, personas: { ...before.personas, ...Object.fromEntries(personas) } };
}

function changeLength(change: PersonaChange): string {
  const text = typeof change === "string" ? change : change.append;
  return `it is prompt text of ${text.length} characters`;
}

/** Returns the prompt of a changed persona; null if no text remains. */
export function changedPrompt(shipped: string | null, changes: readonly PersonaChange[]): string | null {
  return changes.reduce<string | null>(
    (text, change) =>
      typeof change === "string" ? change : text === null ? null : `${text.trimEnd()}\n\n${change.append}`,
    shipped,
  );
}
