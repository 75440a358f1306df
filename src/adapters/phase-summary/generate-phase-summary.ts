import { resolve } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { phaseDisplayName } from "../../core/phase-names.ts";
import type { FileChange } from "../../schema/facts.ts";
import { PhaseKey } from "../../schema/ids.ts";
import { plainLine } from "../../views/plain-text.ts";
import {
  durationOf,
  nothing,
  numberOf,
  renderPhaseSummary,
  splitDecisions,
  type SummaryData,
  summaryFileName,
} from "../../views/summary.ts";
import { changedFiles } from "./changed-files.ts";
import { writeSummary } from "./write-summary.ts";

/**
 * Writes the summary of a phase below `.isdlc/reviews` from the contents of `state.json` and from git.
 * Returns its absolute path, or null with a warning on stderr; never throws.
 */
// oxlint-disable-next-line max-params -- the published signature
export function generatePhaseSummary(
  state: unknown,
  phaseKey: unknown,
  projectRoot: unknown,
  options: { readonly minimal?: boolean } = {},
): string | null {
  try {
    const key = PhaseKey.safeParse(phaseKey);
    if (!key.success) return refuse("the phase has no valid name");
    if (typeof projectRoot !== "string" || projectRoot === "") return refuse("the project root is no path");
    const root = resolve(projectRoot);
    const data = summaryData(state, key.data, root);
    const text = renderPhaseSummary(data, { minimal: ownValue(options, "minimal") === true });
    return writeSummary(root, summaryFileName(workflowKeys(state), key.data), text);
  } catch (error) {
    return refuse(messageOf(error));
  }
}

function summaryData(state: unknown, key: PhaseKey, root: string): SummaryData {
  const phase = ownValue(ownValue(state, "phases"), key);
  const known = { ...nothing, number: numberOf(key), name: phaseDisplayName(key) };
  const changed = askGit(root, ownValue(phase, "start_commit"));
  if (!isRecord(phase)) {
    warn(`nothing is known about ${key}`);
    return { ...known, changed };
  }
  const summary = ownValue(phase, "summary");
  return {
    ...known,
    status: statusText(ownValue(phase, "status")),
    duration: durationOf(ownValue(phase, "started"), ownValue(phase, "completed")),
    artifacts: texts(ownValue(phase, "artifacts")),
    decisions: typeof summary === "string" ? splitDecisions(summary) : [],
    changed,
  };
}

function askGit(root: string, since: unknown): FileChange[] | null {
  try {
    return changedFiles(root, since);
  } catch (error) {
    warn(`git could not tell what changed: ${messageOf(error)}`);
    return null;
  }
}

function statusText(status: unknown): string {
  if (typeof status !== "string" || status === "") return "N/A";
  const words = status.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const workflowKeys = (state: unknown): string[] => texts(ownValue(ownValue(state, "active_workflow"), "phases"));

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((entry) => typeof entry === "string") : [];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function refuse(reason: string): null {
  warn(`no summary was written: ${reason}`);
  return null;
}

function warn(text: string): void {
  process.stderr.write(`[supervised-mode] ${plainLine(text)}\n`);
}
