import { minutesBetween } from "../core/duration.ts";
import { buildLedger } from "../core/findings/ledger.ts";
import { OWN, ownFolders, ownPath } from "../core/own-folder.ts";
import { type ActiveRun, currentPhase, type EndedRun, observedSandbox, type PhaseRecord } from "../core/run.ts";
import type { Usage } from "../schema/agent.ts";
import type { CheckResult, FileChange, PhaseOutput } from "../schema/facts.ts";
import { type PhaseKey, phaseNumber } from "../schema/ids.ts";
import { renderFindings } from "./findings.ts";
import {
  artifactSection,
  changesSection,
  decisionsSection,
  actingSection,
  engineSections,
  linksSection,
} from "./summary-sections.ts";
import { fullHead, minimalHead, titleLine } from "./summary-head.ts";

/** What a summary tells. Texts come as they were found; rendering makes them harmless. */
export type SummaryData = {
  /** Two digits, or null where phases have none. */
  readonly number: string | null;
  readonly name: string;
  readonly status: string;
  /** Null when either end is unknown. */
  readonly duration: { readonly minutes: number; readonly from: string; readonly to: string } | null;
  readonly artifacts: readonly string[];
  readonly decisions: readonly string[];
  /** Since the phase was first entered; null when git could not tell. */
  readonly changed: readonly FileChange[] | null;
  /** Since a person last looked; null when nobody has. */
  readonly changedSinceSeen: readonly FileChange[] | null;
  readonly engine: EngineFacts | null;
  /** Folder in which the summary will be, relative to the working tree. */
  readonly folder: string;
};

/** What only the engine knows about a phase. */
export type EngineFacts = Readonly<
  Pick<
    PhaseOutput,
    "concerns" | "unexpected" | "testsChanged" | "lines" | "denied" | "unmentioned" | "tree" | "notices"
  >
> & {
  readonly usage: Usage;
  /** True if the phase ran in a sandbox; null if the journal does not contain it. */
  readonly sandbox: boolean | null;
  /** True if an agent session did some of the work. */
  readonly bySession: boolean;
  /** Executions that did not tell what they used. */
  readonly missingUsage: number;
  readonly checks: readonly CheckResult[];
  /** What reviewers found, in one line each; what is open first. */
  readonly findings: readonly string[];
};

/** Where summaries are written, relative to the working tree; those of an item's analysis are beside its journal. */
export function reviewsFolder({ run }: Pick<ActiveRun, "run">): string {
  const item = run.item.slice(run.item.lastIndexOf("/") + 1);
  return [...ownFolders(run.scope === "item" ? item : null), OWN.reviews].join("/");
}

/** The summary shown at a gate. The same data always gives the same text. */
export function renderPhaseSummary(data: SummaryData, { minimal }: { readonly minimal: boolean }): string {
  const blocks = minimal
    ? [titleLine(data), minimalHead(data), ...actingSection(data), artifactSection(data)]
    : [
        titleLine(data),
        fullHead(data),
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

/** Named by the phase's number where only one phase of the workflow has it, else by the full key. */
export function summaryFileName(keys: readonly PhaseKey[], key: PhaseKey): string {
  const number = phaseNumber(key);
  const isShared = keys.some((other) => other !== key && phaseNumber(other) === number);
  return `phase-${isShared ? key : number}-summary.md`;
}

/** What a run knows about one of its phases. */
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
    ...madeBy(record, observedSandbox(run.run, record)),
  };
}

/** What is told about a phase of which nothing is known. */
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

function madeBy(record: PhaseRecord, sandbox: boolean | null): Partial<SummaryData> {
  const { made, usage, missingUsage, iterations, bySession = false } = record;
  if (made === null) return {};
  return {
    artifacts: made.artifacts,
    decisions: made.decisions.length > 0 ? made.decisions : splitDecisions(made.summary),
    changed: made.changed,
    changedSinceSeen: made.changedSinceSeen,
    engine: { ...made, usage, missingUsage, sandbox, bySession, findings: renderFindings(buildLedger(iterations)) },
  };
}

const statusText: { readonly [S in PhaseRecord["status"]]: string } = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
  skipped: "Skipped",
};

/** The two digits of a phase's key; null where it has none. */
export function leadingNumber(key: PhaseKey): string | null {
  const number = phaseNumber(key);
  return /^[0-9]{2}$/.test(number) ? number : null;
}

/** Null unless both are timestamps, in this order. */
export function measureDuration(from: unknown, to: unknown): SummaryData["duration"] {
  const minutes = minutesBetween(from, to);
  return minutes === null ? null : { minutes, from: String(from), to: String(to) };
}

/** Decisions written as one text: its bullets where it has some, else its sentences. Commas separate neither. */
export function splitDecisions(summary: string): string[] {
  const lines = summary.split("\n").map((line) => line.trim());
  const bullets = lines.flatMap((line) => BULLET.exec(line)?.[1] ?? []);
  const parts = bullets.length > 0 ? bullets : lines.flatMap((line) => line.split(SENTENCE_END));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const BULLET = /^(?:[-*•]|[0-9]{1,3}[.)])[ \t]+(\S.*)$/;
/** White space between the end of a sentence and the beginning of the next one; "e.g. This" is none. */
const SENTENCE_END = /(?<=[.!?]["')\]]?)(?<!\.\p{L}\.)\s+(?=["'([`]?[\p{Lu}\p{N}])/u;
/** The summary of the current phase, as it is shown at a gate. */
export function summaryText(run: ActiveRun): string {
  const key = currentPhase(run)?.rule.key ?? "";
  return renderPhaseSummary(buildSummaryData(run, key), { minimal: run.run.minimalSummary });
}
