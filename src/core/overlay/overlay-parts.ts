import type { PhaseKey } from "../../schema/ids.ts";
import type { Overlay, OverlayPhase, RuleChanges, WorkflowOverlay } from "../../schema/overlay.ts";
import type { PhaseDefinition } from "../../schema/plan.ts";
import { phaseDisplayName } from "../phase-names.ts";
import { atLeastAsStrict, RULE_NAMES, ruleValue, type RuleName } from "./strictness.ts";

type Phases = readonly PhaseDefinition[];

/** Names and texts shipped with isdlc, as opposed to a repository's. */
export type BuiltIn = {
  readonly workflows: readonly string[];
  readonly personas: readonly string[];
  /** Every `needs` of a shipped phase. */
  readonly needs: readonly string[];
};

/** One change of an overlay to a workflow. */
export type OverlayPart = {
  /** Position in the overlay file. */
  readonly place: string;
  readonly what: string;
  /** Phase of the workflow to which the change refers. */
  readonly phase: PhaseKey;
  /** Requires a list that contains `phase`. */
  readonly apply: (phases: Phases) => Phases;
  /** Reason why the change would relax these phases; null if it would not. */
  readonly loosens: (phases: Phases, builtIn: BuiltIn) => string | null;
  /** Phase and rules set by the change. */
  readonly sets: { readonly phase: PhaseKey; readonly rules: readonly RuleName[] } | null;
};

/** Lists an overlay's changes to a workflow in order: insert, replace, remove, then one rule at a time. */
export function overlayParts(content: Overlay, workflow: string): OverlayPart[] {
  const workflows = content.workflows ?? {};
  const overlay = Object.hasOwn(workflows, workflow) ? workflows[workflow] : undefined;
  if (overlay === undefined) return [];
  const place = `workflows.${workflow}`;
  return [
    ...insertions(overlay, place),
    ...replacements(overlay, place),
    ...removals(overlay, place),
    ...Object.entries(overlay.rules ?? {}).flatMap(([phase, changes]) =>
      ruleChanges(phase, changes, `${place}.rules.${phase}`),
    ),
  ];
}

function insertions({ insert = [] }: WorkflowOverlay, place: string): OverlayPart[] {
  return insert.map(({ before, after, phase }, index) => {
    const added = completed(phase);
    const anchor = before ?? after ?? "";
    return {
      place: `${place}.insert[${index}]`,
      what: `inserting the phase ${added.key}`,
      phase: anchor,
      apply: (phases) => {
        const at = findPhaseIndex(phases, anchor) + (before === undefined ? 1 : 0);
        return [...phases.slice(0, at), added, ...phases.slice(at)];
      },
      loosens: (phases, builtIn) => {
        if (before === undefined && findPhaseIndex(phases, anchor) === phases.length - 1)
          return "no phase after it would check its work";
        return insertionLoosens(added, builtIn);
      },
      sets: { phase: added.key, rules: RULE_NAMES },
    };
  });
}

/**
 * Returns why an inserted phase relaxes the workflow. It does not if all its text is shipped, it writes only its
 * documents, and it does no sizing.
 */
function insertionLoosens(added: PhaseDefinition, builtIn: BuiltIn): string | null {
  const own = [added.persona, added.reviewer ?? added.persona].find((name) => !builtIn.personas.includes(name));
  if (own !== undefined) return `the persona ${own} is prompt text`;
  if (added.name !== phaseDisplayName(added.key) || added.shortName !== undefined) return "its name is prompt text";
  if (added.needs !== "" && !builtIn.needs.includes(added.needs)) return "its needs are prompt text";
  if (added.writes !== "item") return `it may write more than its documents (${added.writes})`;
  return added.after.includes("sizing") ? "sizing can leave phases out" : null;
}

function replacements({ replace = [] }: WorkflowOverlay, place: string): OverlayPart[] {
  return replace.map(({ phase, with: given }, index) => {
    const other = completed(given);
    return {
      place: `${place}.replace[${index}]`,
      what: phase === other.key ? `replacing the phase ${phase}` : `replacing the phase ${phase} with ${other.key}`,
      phase,
      apply: (phases) => phases.map((known) => (known.key === phase ? other : known)),
      loosens: () => "the existing phase would be removed",
      sets: { phase: other.key, rules: RULE_NAMES },
    };
  });
}

function removals({ remove = [] }: WorkflowOverlay, place: string): OverlayPart[] {
  return remove.map((phase, index) => ({
    place: `${place}.remove[${index}]`,
    what: `removing the phase ${phase}`,
    phase,
    apply: (phases) => phases.filter(({ key }) => key !== phase),
    loosens: () => "the phase would be gone",
    sets: null,
  }));
}

function ruleChanges(phase: PhaseKey, { checks, ...changes }: RuleChanges, place: string): OverlayPart[] {
  const whole = Object.entries(changes).filter(([, value]) => value !== undefined);
  const numbers = Object.entries(checks ?? {}).filter(([, value]) => value !== undefined);
  return [
    ...whole.map(([rule, value]) => ruleChange(phase, rule as RuleName, { place, with: { [rule]: value } })), // the schema allows only these keys
    ...numbers.map(([rule, value]) =>
      ruleChange(phase, `checks.${rule}` as RuleName, { place, checks: { [rule]: value } }),
    ), // the schema allows only these keys
  ];
}

type PhaseChange = {
  readonly place: string;
  readonly with?: Partial<PhaseDefinition>;
  readonly checks?: Partial<PhaseDefinition["checks"]>;
};

function ruleChange(phase: PhaseKey, rule: RuleName, change: PhaseChange): OverlayPart {
  const changed = (known: PhaseDefinition): PhaseDefinition => ({
    ...known,
    ...change.with,
    checks: { ...known.checks, ...change.checks },
  });
  return {
    place: `${change.place}.${rule}`,
    what: `${rule} of ${phase}`,
    phase,
    apply: (phases) => phases.map((known) => (known.key === phase ? changed(known) : known)),
    loosens: (phases) => {
      const known = phases.find(({ key }) => key === phase);
      if (known === undefined || atLeastAsStrict[rule](known, changed(known))) return null;
      return `it is ${told(ruleValue(known, rule))} and would be ${told(ruleValue(changed(known), rule))}`;
    },
    sets: { phase, rules: [rule] },
  };
}

/** Defaults for a phase of an overlay: it writes its own documents and is reviewed. */
const DEFAULTS = {
  reviewer: "reviewer",
  inputs: [],
  outputs: [],
  needs: "",
  writes: "item",
  tests: false,
  checks: { limit: 10, breaker: 3 },
  gate: "supervised",
  minutes: 45,
  articles: [],
  analysis: false,
  whenLight: "keep",
  after: [],
} satisfies Partial<PhaseDefinition>;

function completed({ key, persona, checks, ...rest }: OverlayPhase): PhaseDefinition {
  const { name = phaseDisplayName(key), ...said } = withoutGaps(rest);
  return { ...DEFAULTS, ...said, key, name, persona, checks: { ...DEFAULTS.checks, ...withoutGaps(checks ?? {}) } };
}

type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes keys without a value, which would hide a default. */
function withoutGaps<T extends object>(values: T): DefinedFields<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as DefinedFields<T>; // only removes keys
}

const findPhaseIndex = (phases: Phases, key: PhaseKey): number => phases.findIndex((phase) => phase.key === key);

const TOLD_LENGTH = 60;

/** Formats a value for a sentence. */
function told(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)}…` : text;
}
