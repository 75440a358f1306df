import { minutesBetween } from "../core/duration.ts";
import { buildLedger } from "../core/findings/ledger.ts";
import { OWN, ownFolders, ownPath } from "../core/own-folder.ts";
import { type ActiveRun, currentPhase, type EndedRun, observedSandbox, type PhaseRecord } from "../core/run.ts";
import type { Usage } from "../schema/agent.ts";
import type { SandboxNetwork } from "../schema/run-agents.ts";
import type { CheckResult, FileChange, PhaseOutput } from "../schema/facts.ts";
import { type PhaseKey, phaseNumber } from "../schema/ids.ts";
import {
  artifactSection,
  changesSection,
  decisionsSection,
  actingSection,
  engineSections,
  linksSection,
  testSetupSection,
} from "./summary-sections.ts";
import { fullHead, minimalHead, titleLine } from "./summary-head.ts";
import { renderFindings } from "./reviews.ts";

/** Content of a summary. Texts are unescaped until rendering. */
export type SummaryData = {
  /** Two digits, or null if phases have no numbers. */
  readonly number: string | null;
  readonly name: string;
  readonly status: string;
  /** Null if start or end is unknown. */
  readonly duration: { readonly minutes: number; readonly from: string; readonly to: string } | null;
  readonly artifacts: readonly string[];
  readonly decisions: readonly string[];
  /** Changes since the phase was first entered. Null if git could not list them. */
  readonly changed: readonly FileChange[] | null;
  /** Changes since the user's last review. Null before the first one. */
  readonly changedSinceSeen: readonly FileChange[] | null;
  readonly engine: EngineFacts | null;
  /** Folder of the summary, relative to the working tree. */
  readonly folder: string;
};

/** Facts recorded by the engine. */
export type EngineFacts = Readonly<
  Pick<
    PhaseOutput,
    "concerns" | "unexpected" | "testsChanged" | "lines" | "denied" | "unmentioned" | "tree" | "notices"
  >
> & {
  readonly usage: Usage;
  /** True if the phase ran in a sandbox; null if the journal does not contain it. */
  readonly sandbox: boolean | null;
  readonly network: SandboxNetwork;
  /** True if an agent session did some of the work. */
  readonly bySession: boolean;
  /** Number of executions without reported usage. */
  readonly missingUsage: number;
  readonly checks: readonly CheckResult[];
  /** Findings of reviewers, one line each, open ones first. */
  readonly findings: readonly string[];
};

/** Returns the folder of summaries, relative to the working tree. An item's analysis has them next to its journal. */
export function reviewsFolder({ run }: Pick<ActiveRun, "run">): string {
  const item = run.item.slice(run.item.lastIndexOf("/") + 1);
  return [...ownFolders(run.scope === "item" ? item : null), OWN.reviews].join("/");
}

/** Renders the summary shown at a gate. Equal data always gives equal text. */
export function renderPhaseSummary(data: SummaryData, { minimal }: { readonly minimal: boolean }): string {
  const blocks = minimal
    ? [titleLine(data), minimalHead(data), ...testSetupSection(data), ...actingSection(data), artifactSection(data)]
    : [
        titleLine(data),
        fullHead(data),
        ...testSetupSection(data),
        ...actingSection(data),
        decisionsSection(data),
        artifactSection(data),
        changesSection("File Changes (git diff)", data.changed),
        ...(data.changedSinceSeen === null ? [] : [changesSection("Since you last looked", data.changedSinceSeen)]),
        ...engineSections(data.engine),
        linksSection(data),
      ];
  return `${blocks.join("\n\n")}\n`;
}

/** Returns a file name with the phase's number, or with the full key if several phases share the number. */
export function summaryFileName(keys: readonly PhaseKey[], key: PhaseKey): string {
  const number = phaseNumber(key);
  const isShared = keys.some((other) => other !== key && phaseNumber(other) === number);
  return `phase-${isShared ? key : number}-summary.md`;
}

/** Collects the recorded facts about a phase. */
export function buildSummaryData(run: ActiveRun | EndedRun, phaseKey: PhaseKey): SummaryData {
  const record = run.phases.find(({ rule }) => rule.key === phaseKey);
  const known = { ...nothing, number: leadingNumber(phaseKey), name: phaseKey, folder: reviewsFolder(run) };
  if (record === undefined) return known;
  const { rule, status, startedAt, completedAt } = record;
  return {
    ...known,
    name: rule.name,
    status: statusText[status],
    duration: measureDuration(startedAt, completedAt),
    ...madeBy(record, { sandbox: observedSandbox(run.run, record), network: run.run.network ?? "shared" }),
  };
}

/** Summary of a phase without recorded facts. */
export const nothing: Omit<SummaryData, "number" | "name"> = {
  status: "N/A",
  duration: null,
  artifacts: [],
  decisions: [],
  changed: null,
  changedSinceSeen: null,
  engine: null,
  folder: ownPath(OWN.reviews),
};

function madeBy(record: PhaseRecord, place: Pick<EngineFacts, "sandbox" | "network">): Partial<SummaryData> {
  const { made, usage, missingUsage, iterations, bySession = false } = record;
  if (made === null) return {};
  return {
    artifacts: made.artifacts,
    decisions: made.decisions.length > 0 ? made.decisions : splitDecisions(made.summary),
    changed: made.changed,
    changedSinceSeen: made.changedSinceSeen,
    engine: { ...made, usage, missingUsage, ...place, bySession, findings: renderFindings(buildLedger(iterations)) },
  };
}

const statusText: { readonly [S in PhaseRecord["status"]]: string } = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
  skipped: "Skipped",
};

/** Returns the two digits of a phase's key, or null if it has none. */
export function leadingNumber(key: PhaseKey): string | null {
  const number = phaseNumber(key);
  return /^[0-9]{2}$/.test(number) ? number : null;
}

/** Returns null unless both values are timestamps, in this order. */
export function measureDuration(from: unknown, to: unknown): SummaryData["duration"] {
  const minutes = minutesBetween(from, to);
  return minutes === null ? null : { minutes, from: String(from), to: String(to) };
}

/** Splits a text into decisions: its bullets if it has any, else its sentences. Commas separate neither. */
export function splitDecisions(summary: string): string[] {
  const lines = summary.split("\n").map((line) => line.trim());
  const bullets = lines.flatMap((line) => BULLET.exec(line)?.[1] ?? []);
  const parts = bullets.length > 0 ? bullets : lines.flatMap((line) => line.split(SENTENCE_END));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const BULLET = /^(?:[-*•]|[0-9]{1,3}[.)])[ \t]+(\S.*)$/;
/** White space between two sentences, but not after abbreviations: "e.g. This". */
const SENTENCE_END = /(?<=[.!?]["')\]]?)(?<!\.\p{L}\.)\s+(?=["'([`]?[\p{Lu}\p{N}])/u;
/** Renders the summary of the current phase, as shown at a gate. */
export function summaryText(run: ActiveRun): string {
  const key = currentPhase(run)?.rule.key ?? "";
  return renderPhaseSummary(buildSummaryData(run, key), { minimal: run.run.minimalSummary });
}
