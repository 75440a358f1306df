import { reachedPhase, SPEC_PHASES, type SpecPhase } from "../../core/spec/spec-phases.ts";
import type { Mode } from "../../schema/plan.ts";
import { plainLine } from "../plain-text.ts";

export type SessionFeature = {
  /** Number of the feature, or an empty string if its folder has none. */
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** Folder next to the project: `../shop-001-login`. */
  readonly worktree: string | null;
  /** True if the session was started outside the feature's worktree. */
  readonly isElsewhere: boolean;
  /** Last completed phase of the feature's record; null if the record names none. */
  readonly currentPhase: SpecPhase | null;
  /** Documents in the feature's folder, used if the record names no phase. */
  readonly files: readonly string[];
};

export type SessionRun = {
  readonly id: string;
  readonly workflow: string;
  readonly phase: string | null;
  /** Next command to type. */
  readonly next: string;
  /** Review or redo in progress when the last session ended. */
  readonly recovery: string | null;
};

export type Session = { readonly feature: SessionFeature | null; readonly run: SessionRun | null };

/**
 * Describes the current work to a new agent session, in at most 1.5 kB. Text from files is cut and filtered: it cannot
 * leave its place in a line.
 */
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

/** Formats the output of a SessionStart hook. */
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

function featureLines({ id, name, mode, worktree, isElsewhere, ...progress }: SessionFeature): string[] {
  const place = worktree === null ? "none" : quoted(worktree);
  const warning = `Warning: this session is not in the feature's worktree ${place}. Ask the person before you work here.`;
  return [
    `Active feature: ${id === "" ? "" : `${word(id)}-`}${word(name)} (${mode})`,
    `Current phase: ${lastPhase(progress) ?? "not started"}`,
    `Worktree: ${place}`,
    ...(worktree !== null && isElsewhere ? [warning] : []),
  ];
}

function nextVerb(feature: SessionFeature | null): string {
  return feature === null ? 'isdlc brainstorm "<what to build>"' : `isdlc ${nextPhase(feature)}`;
}

/** Returns the phase after the last completed one. Phases skipped before it stay skipped. */
export function nextPhase({ mode, ...progress }: Pick<SessionFeature, "mode" | "currentPhase" | "files">): SpecPhase {
  const last = lastPhase(progress);
  if (last === null) return mode === "hotfix" ? "implement" : "brainstorm";
  return SPEC_PHASES[SPEC_PHASES.indexOf(last) + 1] ?? "finish";
}

const lastPhase = ({ currentPhase, files }: Pick<SessionFeature, "currentPhase" | "files">): SpecPhase | null =>
  currentPhase ?? reachedPhase(files);

const WORD_LENGTH = 30;
const PATH_LENGTH = 80;
const VERB_LENGTH = 80;
const RECOVERY_LENGTH = 70;
const RECOVERY_LINES = 2;

/** Reduces a name to letters, digits and the punctuation of names. */
const word = (text: string): string => cut(text, WORD_LENGTH).replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");

/** Cuts a sentence of isdlc and removes all characters except printable ASCII, also from names in it. */
const ours = (text: string, most: number): string => cut(text, most).replaceAll(/[^ -~]/g, "");

const quoted = (path: string): string => `"${cut(path, PATH_LENGTH).replaceAll(/["`<>]/g, "")}"`;

/** Cuts a line, and removes half of a surrogate pair left by the cut. */
const cut = (text: string, most: number): string => plainLine(text, most).replaceAll(/\p{Cs}/gu, "");
