import type { AgentBackend } from "../ports/agent-backend.ts";
import type { CheckRunner } from "../ports/check-runner.ts";
import type { Projections } from "../ports/projections.ts";
import type { GitPrograms } from "../ports/git-programs.ts";
import type { FeatureRecords } from "../ports/feature-records.ts";
import type { ItemRecords } from "../ports/item-records.ts";
import type { Journal } from "../ports/journal.ts";
import type { ProgressSink } from "../ports/progress.ts";
import type { Processes } from "../ports/processes.ts";
import type { Sessions } from "../ports/sessions.ts";
import type { VcsWrite } from "../ports/vcs.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Usage } from "../schema/agent.ts";
import type { ExecutionId, PhaseKey, RunId } from "../schema/ids.ts";

export interface Transcript {
  write(line: string): void;
  close(): void;
}

/** Everything the loop needs of the world, for one run in one working tree. */
export type Engine = {
  readonly run: RunId;
  readonly root: string;
  readonly journal: Journal;
  readonly agents: {
    readonly phase: (key: PhaseKey) => AgentBackend;
    readonly reviewer: (key: PhaseKey) => AgentBackend;
  };
  readonly workspace: Workspace;
  /** Null where the run works without git. */
  readonly vcs: VcsWrite | null;
  /** Commit the working tree is at; null without git or before the first commit. */
  readonly head: () => Promise<string | null>;
  readonly items: ItemRecords;
  readonly features: FeatureRecords;
  /** The same documents in another folder. */
  readonly recordsIn: (folder: string) => Pick<Engine, "items" | "features">;
  readonly checks: CheckRunner;
  readonly gitPrograms: GitPrograms;
  readonly processes: Processes;
  readonly projections: Projections;
  readonly sessions: Sessions;
  /** True for a phase that a session of its own works on: the loop stops there and leaves the work to it. */
  readonly isSessionWork: (key: PhaseKey) => boolean;
  readonly persona: (name: string) => string;
  /** The text that reviewers judge by where a phase names articles; null where the project has none. */
  readonly constitution: () => string | null;
  readonly hash: (text: string) => string;
  readonly newNonce: () => string;
  /** Waits for so many milliseconds, or until the signal says stop. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly redact: (text: string) => string;
  readonly transcript: (execution: ExecutionId) => Transcript;
  /** What an execution whose driver is gone told that it used; null where it told nothing. */
  readonly toldUsage: (execution: ExecutionId) => Usage | null;
  readonly show: ProgressSink["show"];
  /** Asks a server to merge the run and to record the result. Missing where the engine merges in its own working tree. */
  readonly requestMerge?: () => Promise<void>;
};
