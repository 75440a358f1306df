import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { Reply } from "../../schema/agent.ts";
import { RunAgents } from "../../schema/run-agents.ts";
import { type FileSystem, readSmall, replaceFile } from "./file-system.ts";
import type { TrustStore } from "../../ports/user-settings.ts";

const Memory = z.object({
  /** Start commands of the agents of the newest runs, newest last. */
  agents: z._default(z.array(z.extend(RunAgents, { run: z.string() })), []),
  /** Digests trusted by the user for this working tree: test commands, overlays, hooks. */
  trusted: z._default(z.array(z.string()), []),
  /** Access for tests beyond a copy of the working tree, allowed by the user. */
  testNeeds: z._default(z.array(z.string()), []),
  /** The user's replies so far to questions that are still open. */
  replies: z._default(z.nullable(z.object({ questions: z.string(), given: z.array(Reply) })), null),
});
type Memory = z.infer<typeof Memory>;

const MAX_TRUST_FILE_BYTES = 256 * 1024;
const TRUSTED_LIMIT = 500;
const RUNS_LIMIT = 20;

export function createTrustStore(folder: string, root: string, files: FileSystem): TrustStore {
  const path = join(folder, `tree-${createHash("sha256").update(root).digest("hex").slice(0, 24)}.json`);
  const read = (): Memory => parseMemory(readSmall(files, path, MAX_TRUST_FILE_BYTES));
  const write = (memory: Memory): void => replaceFile(files, path, Buffer.from(`${JSON.stringify(memory)}\n`));
  return {
    agents(run) {
      return read().agents.find((remembered) => remembered.run === run) ?? null;
    },
    rememberAgents(run, agents) {
      const memory = read();
      const others = memory.agents.filter((remembered) => remembered.run !== run);
      write({ ...memory, agents: [...others, { ...agents, run }].slice(-RUNS_LIMIT) });
    },
    trusted: () => read().trusted,
    testNeeds: () => read().testNeeds,
    allowTests: (needs) => write({ ...read(), testNeeds: [...needs] }),
    keptReplies(questions) {
      const { replies } = read();
      return replies?.questions === questions ? replies.given : [];
    },
    keepReplies: (questions, given) =>
      write({ ...read(), replies: given.length === 0 ? null : { questions, given: [...given] } }),
    trusts: (digest) => read().trusted.includes(digest),
    trust(digest) {
      const memory = read();
      const others = memory.trusted.filter((known) => known !== digest);
      write({ ...memory, trusted: [...others, digest].slice(-TRUSTED_LIMIT) });
    },
  };
}

function parseMemory(bytes: Buffer | null): Memory {
  try {
    return Memory.parse(JSON.parse(bytes?.toString("utf8") ?? "{}"));
  } catch {
    return { agents: [], trusted: [], testNeeds: [], replies: null }; // empty memory: the user is asked again
  }
}
