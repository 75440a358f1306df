import type { RunId } from "../schema/ids.ts";
import type { Reply } from "../schema/agent.ts";
import type { RunAgents } from "../schema/run-agents.ts";

/** A user's decisions about one working tree, stored outside of it. */
export interface TrustStore {
  agents(run: RunId): RunAgents | null;
  rememberAgents(run: RunId, agents: RunAgents): void;
  trusts(digest: string): boolean;
  trust(digest: string): void;
  /** Returns every trusted digest of this working tree. */
  trusted(): readonly string[];
  /** Returns the permissions of tests here, in the form in which a user granted them. */
  testNeeds(): readonly string[];
  allowTests(needs: readonly string[]): void;
  /** Returns the replies given so far to these questions. Only those to the newest questions are saved. */
  keptReplies(questions: string): readonly Reply[];
  /** Saves replies. An empty list deletes all saved replies. */
  keepReplies(questions: string, given: readonly Reply[]): void;
}
