import { join } from "node:path";
import type { Command } from "../../../src/core/command.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { VcsWrite } from "../../../src/ports/vcs.ts";
import type { CommitId } from "../../../src/schema/ids.ts";
import type { Mirror } from "./mirror.ts";

/** The merge that a report is about; null where it is about something else. */
export function mergedBy(command: Command): CommitId | null {
  if (command.do !== "report") return null;
  const { outcome } = command;
  return outcome.of === "finish" && "merged" in outcome ? outcome.merged : null;
}

type Merge = {
  readonly mirror: Mirror;
  readonly root: string;
  readonly run: ActiveRun;
  readonly vcs: Pick<VcsWrite, "tip"> | null;
};

/**
 * Pushes a merge to the base before it is recorded: only onto the commit that the person was shown. Where the base has
 * moved since, nothing is pushed and nothing recorded; the next drive finds it moved, and asks again.
 */
export async function pushMerged({ mirror, root, run, vcs }: Merge, merged: CommitId): Promise<void> {
  const { base = null, branch = null } = run.run.git ?? {};
  if (base === null) return;
  const onto = mirror.tip(base);
  if (onto === merged) return; // pushed by a drive that was cut off before it could report
  const tip = branch === null ? null : ((await vcs?.tip(branch)) ?? null);
  const specs = [`${merged}:refs/heads/${base}`, ...(tip === null ? [] : [`${tip}:refs/heads/${branch}`])];
  await mirror.push(join(root, ".git", "objects"), { specs, lease: `refs/heads/${base}:${onto ?? ""}` });
}
