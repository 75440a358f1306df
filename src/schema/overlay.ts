import * as z from "zod/mini";
import { isSafeName } from "./ids.ts";
import { AfterStep, GateRule, PhaseDefinition, PhaseKey, Writes } from "./plan.ts";

/** Roman numerals up to XXXIX, for the articles of a constitution. */
export const ARTICLE_NUMBER = /^(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})$/;

const Name = z.string().check(z.refine(isSafeName));
const ShortText = z.string().check(z.minLength(1), z.maxLength(60));
const { inputs: Artifacts } = PhaseDefinition.shape;
const FewArtifacts = Artifacts.check(
  z.maxLength(20),
  z.refine((names) => names.every((name) => name.length <= 60)),
);
const PositiveNumber = (most: number) => z.int().check(z.positive(), z.lte(most));

const rules = {
  name: z.optional(ShortText),
  shortName: z.optional(ShortText),
  persona: z.optional(Name),
  reviewer: z.optional(z.nullable(Name)),
  inputs: z.optional(FewArtifacts),
  outputs: z.optional(FewArtifacts),
  needs: z.optional(z.string().check(z.maxLength(2000))),
  writes: z.optional(Writes),
  tests: z.optional(z.boolean()),
  checks: z.optional(
    z.strictObject({ limit: z.optional(PositiveNumber(100)), breaker: z.optional(PositiveNumber(100)) }),
  ),
  gate: z.optional(GateRule),
  minutes: z.optional(PositiveNumber(24 * 60)),
  articles: z.optional(z.array(z.string().check(z.regex(ARTICLE_NUMBER))).check(z.maxLength(39))),
  analysis: z.optional(z.boolean()),
  whenLight: z.optional(z.enum(["keep", "drop"])),
  after: z.optional(z.array(AfterStep).check(z.maxLength(2))),
};

/** New values for rules of an existing phase. Rules without a value stay unchanged. */
export const RuleChanges = z.strictObject(rules);
export type RuleChanges = z.infer<typeof RuleChanges>;

/** A phase added by an overlay. Missing rules get cautious defaults. */
export const OverlayPhase = z.strictObject({ ...rules, key: PhaseKey, persona: Name });
export type OverlayPhase = z.infer<typeof OverlayPhase>;

export const OverlayInsertion = z
  .strictObject({ before: z.optional(PhaseKey), after: z.optional(PhaseKey), phase: OverlayPhase })
  .check(z.refine(({ before, after }) => (before === undefined) !== (after === undefined)));

export const OverlayReplacement = z.strictObject({ phase: PhaseKey, with: OverlayPhase });

/** Changes of an overlay to one workflow, applied in the order of these keys. */
export const WorkflowOverlay = z.strictObject({
  insert: z.optional(z.array(OverlayInsertion).check(z.maxLength(20))),
  replace: z.optional(z.array(OverlayReplacement).check(z.maxLength(20))),
  remove: z.optional(z.array(PhaseKey).check(z.maxLength(50))),
  rules: z.optional(z.record(PhaseKey, RuleChanges)),
});
export type WorkflowOverlay = z.infer<typeof WorkflowOverlay>;

const PromptText = z.string().check(z.minLength(1), z.maxLength(20_000));

/** A string replaces the prompt of a persona; `append` adds text after it. */
export const PersonaAddition = z.strictObject({ append: PromptText });
export const PersonaChange = z.union([PromptText, PersonaAddition]);
export type PersonaChange = z.infer<typeof PersonaChange>;

/** Content of a `workflows.json` of a repository or a user. */
export const Overlay = z.strictObject({
  workflows: z.optional(z.record(Name, WorkflowOverlay)),
  personas: z.optional(z.record(Name, PersonaChange)),
});
export type Overlay = z.infer<typeof Overlay>;
