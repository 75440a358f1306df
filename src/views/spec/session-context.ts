import { reachedPhase, SPEC_PHASES, type SpecPhase } from "../../core/spec/spec-phases.ts";
import type { Mode } from "../../schema/plan.ts";
import { plainLine } from "../plain-text.ts";

export type SessionFeature = {
  /** Its number; empty where its folder has none. */
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** One name beside the project: `../shop-001-login`. */
  readonly worktree: string | null;
  /** True when the session was started outside the feature's worktree. */
  readonly isElsewhere: boolean;
  /** Documents in the feature's folder. */
  readonly files: readonly string[];
  /** Code leaves no document: whether it is written is known from the feature's record. */
  readonly isImplemented: boolean;
};

export type SessionRun = {
  readonly id: string;
  readonly workflow: string;
  readonly phase: string | null;
  /** What to type next. */
  readonly next: string;
  /** What was going on when the last session ended. */
  readonly recovery: string | null;
};

export type Session = { readonly feature: SessionFeature | null; readonly run: SessionRun | null };

/** What a new agent session is told about where the work stands: at most 1.5 kB, and no word of a file can break out of its place. */
export function sessionContext({ feature, run }: Session): string {
  const lines = [
    ...(run === null ? [] : runLines(run)),
    ...(feature === null ? [] : featureLines(feature)),
    ...(run === null && feature === null ? ["No active feature"] : []),
    `Next: ${run === null ? nextVerb(feature) : ours(run.next, VERB_LENGTH)}`,
    ...(feature === null && run !== null ? [] : [`Verbs in order: ${SPEC_PHASES.join(" -> ")}`]),
  ];
  return lines.join("\n");
}

/** The answer of a hook that is called when a session starts. */
export function sessionStartOutput(context: string): {
  readonly hookSpecificOutput: { readonly hookEventName: "SessionStart"; readonly additionalContext: string };
} {
  return { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: context } };
}

function runLines({ id, workflow, phase, recovery }: SessionRun): string[] {
  return [
    `Open run: ${word(id)} (${word(workflow)})`,
    ...(phase === null ? [] : [`Phase of the run: ${word(phase)}`]),
    ...(recovery === null ? [] : recovery.split("\n", RECOVERY_LINES).map((line) => ours(line, RECOVERY_LENGTH))),
  ];
}

function featureLines({ id, name, mode, worktree, isElsewhere, files }: SessionFeature): string[] {
  const place = worktree === null ? "none" : quoted(worktree);
  const warning = `Warning: this session is not in the feature's worktree ${place}. Ask the person before you work here.`;
  return [
    `Active feature: ${id === "" ? "" : `${word(id)}-`}${word(name)} (${mode})`,
    `Current phase: ${reachedPhase(files) ?? "not begun"}`,
    `Worktree: ${place}`,
    ...(worktree !== null && isElsewhere ? [warning] : []),
  ];
}

function nextVerb(feature: SessionFeature | null): string {
  return feature === null ? 'isdlc brainstorm "<what to build>"' : `isdlc ${nextPhase(feature)}`;
}

/** The phase that a feature goes to next. */
export function nextPhase({ files, mode, isImplemented }: Progress): SpecPhase {
  const reached = reachedPhase(files);
  if (reached === null && mode === "hotfix") return isImplemented ? "verify" : "implement";
  const following = SPEC_PHASES[reached === null ? 0 : SPEC_PHASES.indexOf(reached) + 1] ?? "finish";
  return following === "implement" && isImplemented ? "verify" : following;
}

type Progress = Pick<SessionFeature, "files" | "mode" | "isImplemented">;

const WORD_LENGTH = 30;
const PATH_LENGTH = 80;
const VERB_LENGTH = 80;
const RECOVERY_LENGTH = 70;
const RECOVERY_LINES = 2;

/** Letters, digits and the marks of names, so that a name stays a name. */
const word = (text: string): string => cut(text, WORD_LENGTH).replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");

/** Sentences of ours; a name in them that is not plain loses its letters. */
const ours = (text: string, most: number): string => cut(text, most).replaceAll(/[^ -~]/g, "");

const quoted = (path: string): string => `"${cut(path, PATH_LENGTH).replaceAll(/["`<>]/g, "")}"`;

/** Half of a letter, left at the cut, goes as well. */
const cut = (text: string, most: number): string => plainLine(text, most).replaceAll(/\p{Cs}/gu, "");
