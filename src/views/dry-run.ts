import { plainLine } from "./plain-text.ts";
import { formatCount } from "../core/duration.ts";

export type DryPhase = {
  readonly key: string;
  readonly agent: string;
  readonly reviewer: string | null;
  /** Maximum number of reviews. */
  readonly verdicts: number;
  readonly hasGate: boolean;
  /** Length of the first prompt with persona, without the documents read by the agent. */
  readonly promptCharacters: number;
};

export type DryRun = {
  /** Null if the user must answer a choice before the run can be planned. */
  readonly head: {
    readonly workflow: string;
    readonly title: string;
    readonly branch: string | null;
    readonly base: string | null;
    readonly tests: readonly string[] | null;
    readonly isSandboxed: boolean;
  } | null;
  readonly phases: readonly DryPhase[];
  /** Questions to the user before the run starts. */
  readonly asked: readonly string[];
  readonly notes: readonly string[];
};

/** Describes what starting the run would do. */
export function dryRunLines({ head, phases, asked, notes }: DryRun): string[] {
  return [
    "Nothing was started. This is what would happen:",
    ...(head === null ? [] : headLines(head)),
    ...phaseLines(phases),
    ...(asked.length === 0
      ? ["No questions before the start."]
      : ["Questions before the start:", ...asked.map(indented)]),
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
