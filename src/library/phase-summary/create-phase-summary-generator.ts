import { resolve } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { FileChange } from "../../schema/facts.ts";
import { isPhaseKey } from "../../schema/ids.ts";
import { changedFiles } from "./changed-files.ts";
import { writeSummary } from "./write-summary.ts";

export type RenderSummary = (input: {
  readonly state: unknown;
  readonly phase: string;
  readonly changed: readonly FileChange[] | null;
  readonly minimal: boolean;
}) => { readonly name: string; readonly text: string };

/** Returns the absolute path of the summary, or null with a warning on stderr; never throws. */
// oxlint-disable-next-line max-params -- the published signature
export type GeneratePhaseSummary = (
  state: unknown,
  phaseKey: unknown,
  projectRoot: unknown,
  options?: { readonly minimal?: boolean },
) => string | null;

/** Writes summaries of phases to `.isdlc/reviews`, based on the contents of `state.json` and on git. */
export function createPhaseSummaryGenerator(render: RenderSummary): GeneratePhaseSummary {
  return (...[state, phaseKey, projectRoot, options]) => {
    try {
      if (!isPhaseKey(phaseKey)) return refuse("the phase has no valid name");
      if (typeof projectRoot !== "string" || projectRoot === "") return refuse("the project root is not a path");
      const root = resolve(projectRoot);
      const record = ownValue(ownValue(state, "phases"), phaseKey);
      if (!isRecord(record)) warn(`nothing is known about ${phaseKey}`);
      const changed = askGit(root, ownValue(record, "start_commit"));
      const minimal = ownValue(options, "minimal") === true;
      const { name, text } = render({ state, phase: phaseKey, changed, minimal });
      return writeSummary(root, name, text);
    } catch (error) {
      return refuse(errorMessage(error));
    }
  };
}

function askGit(root: string, since: unknown): FileChange[] | null {
  try {
    return changedFiles(root, since);
  } catch (error) {
    warn(`git could not tell what changed: ${errorMessage(error)}`);
    return null;
  }
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function refuse(reason: string): null {
  warn(`no summary was written: ${reason}`);
  return null;
}

function warn(text: string): void {
  process.stderr.write(`[supervised-mode] ${text.replaceAll(/\p{Cc}+/gu, " ").trim()}\n`);
}
