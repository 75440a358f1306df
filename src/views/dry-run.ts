import { formatCount } from "../core/count-of.ts";
import { plainLine } from "./plain-text.ts";

export type DryPhase = {
  readonly key: string;
  readonly agent: string;
  readonly reviewer: string | null;
  /** How often a reviewer may judge it. */
  readonly verdicts: number;
  readonly hasGate: boolean;
  /** Of the first prompt, persona included; documents that the agent reads come on top. */
  readonly promptCharacters: number;
};

export type DryRun = {
  /** Null where something has to be chosen before anything can be told. */
  readonly head: {
    readonly workflow: string;
    readonly title: string;
    readonly branch: string | null;
    readonly base: string | null;
    readonly tests: readonly string[] | null;
    readonly isSandboxed: boolean;
  } | null;
  readonly phases: readonly DryPhase[];
  /** What a person would be asked before it begins. */
  readonly asked: readonly string[];
  readonly notes: readonly string[];
};

/** What a start would do, for people. */
export function dryRunLines({ head, phases, asked, notes }: DryRun): string[] {
  return [
    "Nothing was started. This is what would happen:",
    ...(head === null ? [] : headLines(head)),
    ...phaseLines(phases),
    ...(asked.length === 0 ? ["Nothing would be asked first."] : ["You would be asked first:", ...asked.map(indented)]),
    ...notes.map((note) => plainLine(note, 1000)),
  ];
}

function headLines({ workflow, title, branch, base, tests, isSandboxed }: NonNullable<DryRun["head"]>): string[] {
  const place = branch === null ? "in place, without a branch" : `on ${branch}, from ${base ?? "this commit"}`;
  return [
    `${workflow}: ${plainLine(title)}`,
    `  ${place}; ${isSandboxed ? "agents in a sandbox" : "agents without a sandbox"}`,
    `  tests: ${tests === null ? "none" : plainLine(tests.join(" "))}`,
  ];
}

function phaseLines(phases: readonly DryPhase[]): string[] {
  const width = Math.max(0, ...phases.map(({ key }) => key.length));
  return phases.map(({ key, agent, reviewer, verdicts, hasGate, promptCharacters }) => {
    const parts = [
      agent,
      `prompt ${promptCharacters} characters`,
      ...(reviewer === null ? [] : [`reviewed by ${reviewer}, up to ${formatCount(verdicts, "time")}`]),
      ...(hasGate ? ["gate"] : []),
    ];
    return `  ${key.padEnd(width)}  ${plainLine(parts.join(" · "))}`;
  });
}

const indented = (line: string): string => `  ${plainLine(line, 1000)}`;
