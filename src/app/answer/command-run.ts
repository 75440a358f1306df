import type { Guidance, PersonCommand } from "../../core/command.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import { findPhaseKey } from "../../core/phase-names.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import type { Project } from "../project/project.ts";
import { refuseWhileHeld } from "./answer.ts";
import { answerTable } from "./answer-table.ts";
import { type LeftInTree, resolveTree } from "./left-in-tree.ts";
import { record, type RecordResult } from "../project/current-run.ts";

/** Command of a user about the run itself, independent of its wait. */
export type RunCommand = { readonly by: Person; readonly signature?: PasskeySignature | undefined } &
  /** `tree`: keeps uncommitted changes of agents, or saves them under a ref and removes them. */
  (
    | { readonly do: "cancel"; readonly reason: string; readonly tree: "keep" | "restore" }
    /** Starts the current phase again, or skips it. */
    | { readonly do: "retry" | "skip" }
    /** Returns to an earlier phase, by key, number or name. Default: the start of the current phase. */
    | ({ readonly do: "back"; readonly to?: string | undefined; readonly tree: "restore" | "keep" } & Partial<Guidance>)
  );

/** `left`: files left in the working tree by a cancelled run; null if none. */
export type CommandResult = RecordResult & { readonly left: LeftInTree | null };

/** @throws ProblemError if refused. Nothing was recorded then. */
export async function commandRun(project: Project, run: ActiveRun, command: RunCommand): Promise<CommandResult> {
  if (command.do !== "cancel" && run.wait !== null) refuseWhileHeld(project, command.by);
  const { signature } = command;
  const wanted = personCommand(run, command);
  const done = await record(project, run.run.run, signature === undefined ? wanted : { ...wanted, signature });
  const warnings = [...done.warnings];
  const effects = command.do === "cancel" ? (answerTable.cancel.after ?? []) : [];
  for (const effect of effects) warnings.push(...(await effect(project, run, done)));
  if (command.do !== "cancel") return { ...done, warnings, left: null };
  const resolved = await resolveTree(project, run, command.tree);
  return { ...done, warnings: [...warnings, ...resolved.warnings], left: resolved.left };
}

export function personCommand(run: ActiveRun, command: RunCommand): PersonCommand {
  const { by } = command;
  switch (command.do) {
    case "cancel":
      return { do: "cancel", by, reason: command.reason };
    case "retry":
      return { do: "retry", wait: null, by };
    case "skip":
      return { do: "skip", wait: null, by };
    case "back": {
      const { tree, guidance = "", comments = [] } = command;
      return { do: "back", by, to: phaseKey(run, command.to), tree, guidance, comments };
    }
    default:
      return command satisfies never;
  }
}

function phaseKey(run: ActiveRun, named: string | undefined): string {
  const wanted = named ?? currentPhase(run)?.rule.key ?? "";
  const keys = run.phases.map(({ rule }) => rule.key);
  return findPhaseKey(keys, wanted) ?? wanted;
}
