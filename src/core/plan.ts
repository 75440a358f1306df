import type { Mode, PhaseDefinition, PhaseRule, WorkflowDefinition } from "../schema/plan.ts";

const VERDICTS: Readonly<Record<Mode, number>> = { hotfix: 1, quick: 2, standard: 3, full: 5 };

export type PlanChoices = {
  readonly mode: Mode;
  /** Digest of each persona's text, by persona name. */
  readonly personaDigests: Readonly<Record<string, string>>;
};

/** Resolves the workflow for one run. The first event of the run contains the result. */
export function resolvePlan(definition: WorkflowDefinition, choices: PlanChoices): PhaseRule[] {
  return definition.phases.map((phase) => ({
    ...phase,
    personaDigest: digestFor(phase, choices),
    verdicts: requiredVerdicts(phase, choices.mode),
  }));
}

/** A phase without output has nothing to revise: it gets one verdict. */
function requiredVerdicts({ reviewer, judged }: PhaseDefinition, mode: Mode): number {
  if (reviewer === null) return 0;
  return judged === true ? 1 : VERDICTS[mode];
}

function digestFor(phase: PhaseDefinition, { personaDigests }: PlanChoices): string {
  const digest = personaDigests[phase.persona];
  if (digest === undefined) throw new Error(`No digest was given for the persona "${phase.persona}".`);
  return digest;
}

/** Returns the path of an artifact, relative to the working tree, with forward slashes. */
export const artifactPath = (item: string, name: string): string => `${item}/${name}`;

export const resolveOutputs = ({ outputs }: Pick<PhaseDefinition, "outputs">, item: string): string[] =>
  outputs.map((name) => artifactPath(item, name));

/**
 * Returns artifacts available to a phase: outputs of earlier phases in this plan, and inputs of the plan's first
 * phase, because a plan that starts midway builds on an earlier analysis. A plan therefore does not wait for phases it
 * lacks.
 */
export function resolveInputs(plan: readonly PhaseDefinition[], index: number, item: string): string[] {
  const earlier = plan.slice(0, index).flatMap((phase) => phase.outputs);
  const available = new Set([...(plan[0]?.inputs ?? []), ...earlier]);
  const wanted = plan[index]?.inputs ?? [];
  return wanted.filter((name) => available.has(name)).map((name) => artifactPath(item, name));
}

/** True if the phase's agent may write to a path, relative to the working tree. */
export function mayWrite(rule: Pick<PhaseDefinition, "writes">, item: string, path: string): boolean {
  const segments = path.split(/[/\\]/);
  if (isAbsolute(path) || segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    return false;
  const below = path.startsWith(`${item}/`) ? path.slice(item.length + 1).split(/[/\\]/) : null;
  if ((below ?? segments).some(isGuarded)) return false;
  if (below !== null || rule.writes === "tree") return true;
  return rule.writes === "tests" && looksLikeTest(segments);
}

const isAbsolute = (path: string): boolean => /^(?:[/\\]|[A-Za-z]:)/.test(path);

/** Compared like a file system that ignores case, trailing dots and spaces. */
const isGuarded = (segment: string): boolean => /^\.(?:isdlc|git)[. ]*$/i.test(segment);

const TEST_FOLDER = /^(?:__tests__|tests?|specs?|e2e)$/i;
const TEST_FILE =
  /(?:[._-](?:test|spec)s?\.[a-z]+$)|(?:^test_.*\.py$)|(?:^conftest\.py$)|(?:[a-z0-9](?:Test|Tests|IT|Spec)\.[a-z]+$)/;

function looksLikeTest(segments: readonly string[]): boolean {
  return segments.slice(0, -1).some((segment) => TEST_FOLDER.test(segment)) || TEST_FILE.test(segments.at(-1) ?? "");
}

const SLUG_LENGTH = 50;
/** Letters that Unicode does not decompose into a base letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
};

/** Converts a title to part of a folder or branch name: `a-z0-9` and single hyphens, at most 50 characters. */
export function toSlug(title: string): string {
  const slug = plainWords(title).slice(0, SLUG_LENGTH).replace(/-$/, "");
  return slug === "" ? UNTITLED : slug;
}

/** Converts a title to a new name, cut after a whole word if more than half of the length remains. */
export function wordSlug(title: string, length = SLUG_LENGTH): string {
  const words = plainWords(title).replace(/-$/, "");
  if (words.length <= length) return words === "" ? UNTITLED : words;
  const end = words.lastIndexOf("-", length);
  return end > length / 2 ? words.slice(0, end) : words.slice(0, length).replace(/-$/, "");
}

const UNTITLED = "untitled-item";

function plainWords(title: string): string {
  return title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\P{ASCII}/gu, (letter) => LETTERS[letter] ?? "")
    .replace(/[^a-z0-9\s-]/g, "")
    .replace(/[\s-]+/g, "-")
    .replace(/^-/, "");
}
