import type { RunId } from "../schema/ids.ts";
import type { Reply } from "../schema/agent.ts";
import type { RunAgents } from "../schema/run-agents.ts";

/** What a person resolved about one working tree, kept outside of it. */
export interface TrustStore {
  agents(run: RunId): RunAgents | null;
  rememberAgents(run: RunId, agents: RunAgents): void;
  trusts(digest: string): boolean;
  trust(digest: string): void;
  /** Everything that is trusted here. */
  trusted(): readonly string[];
  /** What the tests here may use; in the words in which a person allowed it. */
  testNeeds(): readonly string[];
  allowTests(needs: readonly string[]): void;
  /** What was replied so far to these questions; only the newest questions are remembered. */
  keptReplies(questions: string): readonly Reply[];
  /** No replies at all: nothing is remembered any more. */
  keepReplies(questions: string, given: readonly Reply[]): void;
}
