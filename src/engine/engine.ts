import type { AgentBackend } from "../ports/agent-backend.ts";
import type { CheckRunner } from "../ports/check-runner.ts";
import type { Projections } from "../ports/projections.ts";
import type { ItemRecords, FeatureRecords } from "../ports/item-records.ts";
import type { Traces } from "../ports/traces.ts";
import type { Journal } from "../ports/journal.ts";
import type { ProgressSink } from "../ports/progress.ts";
import type { Processes } from "../ports/processes.ts";
import type { VcsWrite, GitPrograms } from "../ports/vcs.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Usage } from "../schema/agent.ts";
import type { ActiveRun } from "../core/run.ts";
import type { Step } from "../schema/event.ts";
import type { ExecutionId, PhaseKey, RunId, Ticket } from "../schema/ids.ts";
import type { Sessions } from "../ports/agents.ts";

export interface Transcript {
  write(line: string): void;
  close(): void;
}

/** Everything the loop needs from outside, for one run in one working tree. */
export type Engine = {
  readonly run: RunId;
  readonly root: string;
  readonly journal: Journal;
  readonly agents: {
    readonly phase: (key: PhaseKey) => AgentBackend;
    readonly reviewer: (key: PhaseKey) => AgentBackend;
  };
  readonly workspace: Workspace;
  /** Null without git, and in the analysis of an item. */
  readonly vcs: VcsWrite | null;
  /** Commit checked out in the working tree; null without git or before the first commit. */
  readonly head: () => Promise<string | null>;
  readonly items: ItemRecords;
  readonly features: FeatureRecords;
  /** Same documents in another folder. */
  readonly recordsIn: (folder: string) => Pick<Engine, "items" | "features">;
  readonly checks: CheckRunner;
  readonly gitPrograms: GitPrograms;
  readonly traces: Traces;
  readonly processes: Processes;
  readonly projections: Projections;
  readonly sessions: Sessions;
  /** True for a phase done by an agent session: the loop stops there and leaves the work to it. */
  readonly isSessionWork: (key: PhaseKey) => boolean;
  readonly persona: (name: string) => string;
  /** Articles for the reviewers of phases that name some; null if the project has none. */
  readonly constitution: () => string | null;
  readonly hash: (text: string) => string;
  readonly newNonce: () => string;
  /** Waits the given time, or until `signal` aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly redact: (text: string) => string;
  readonly transcript: (execution: ExecutionId) => Transcript;
  /** Usage reported by an execution whose driver exited; null if none was reported. */
  readonly toldUsage: (execution: ExecutionId) => Usage | null;
  readonly show: ProgressSink["show"];
  /** Asks a server to merge the run and record the result. Missing if the engine merges in its own working tree. */
  readonly requestMerge?: () => Promise<void>;
};

/** One due step. */
export type Task = { readonly run: ActiveRun; readonly step: Step; readonly ticket: Ticket };
