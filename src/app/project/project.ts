import type { ActiveRun, EndedRun } from "../../core/run.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Agents } from "../../ports/agents.ts";
import type { Callers, OperatorTokens, Passkeys } from "../../ports/callers.ts";
import type { CheckRunner } from "../../ports/check-runner.ts";
import type { Items, ReservedIds } from "../../ports/items.ts";
import type { Journal } from "../../ports/journal.ts";
import type { ProgressSink, Notifier } from "../../ports/progress.ts";
import type { Projections } from "../../ports/projections.ts";
import type { SettingsStore, TrustStore } from "../../ports/user-settings.ts";
import type { VcsRead, VcsWrite, CodeHistory, TrustedGitPrograms } from "../../ports/vcs.ts";
import type { Worktrees } from "../../ports/worktrees.ts";
import type { Workflows } from "../../ports/workflows.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { RunId } from "../../schema/ids.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import type { Clock, DriverLock } from "../../ports/processes.ts";

/** One working tree and the user's data about it, as ports. `src/compose` connects adapters to them. */
export type Project = {
  readonly root: string;
  /** Folder of the analysed item; null for the run of the working tree. */
  readonly item: string | null;
  readonly journal: Journal;
  readonly projections: Projections;
  readonly driver: DriverLock;
  readonly callers: Callers;
  readonly tokens: OperatorTokens;
  readonly passkeys: Passkeys;
  readonly settings: SettingsStore;
  readonly trust: TrustStore;
  /** Repository commands that git would start, and if a user trusted them. */
  readonly gitTrust: TrustedGitPrograms;
  readonly agents: Agents;
  /** Folder of the journal, and repository of the working tree, recorded at the start of a run. */
  readonly tree: { readonly root: string; readonly repository: string | null };
  readonly items: Items;
  readonly workflows: Workflows;
  readonly history: CodeHistory;
  readonly ids: ReservedIds;
  readonly vcs: VcsRead;
  readonly vcsWrite: VcsWrite;
  readonly worktrees: Worktrees;
  readonly checks: CheckRunner;
  readonly clock: Clock;
  /** Sends notifications; null if none are set up. */
  readonly notifier: () => Notifier | null;
  readonly workspace: (run: ActiveRun) => Workspace;
  /** Ends every process with this nonce. */
  readonly endAll: (nonce: string) => Promise<void>;
  /** Waits the given time, or until `signal` aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly newRunId: () => RunId;
  readonly hash: (text: string) => string;
  /**
   * The run of the working tree and all analyses of items, without this one. An agent of one could reach the gates of
   * another.
   */
  readonly siblings: () => readonly Project[];
  /** Signs the journal's facts about a finished run, if git is set up for it. Returns messages for the user. */
  readonly attest: (ended: EndedRun) => Promise<readonly string[]>;
  readonly engine: (run: ActiveRun, wanted: EngineOptions) => Engine;
};

/** Options from the driver of a run. */
export type EngineOptions = {
  readonly agents: RunAgents;
  readonly progress: ProgressSink;
  readonly warn: (warning: string) => void;
};
