import type { Usage } from "../../../schema/agent.ts";
import type { AgentProcessOptions } from "../../process/start-agent-process.ts";
import { startFoundProgram } from "../../process/find-program.ts";

/** Conversation of an execution. */
export type Conversation = {
  readonly id: string;
  /** Start of the execution in milliseconds since 1970. The conversation may be older. */
  readonly since: number;
};

/** Command that reports the usage of an execution afterwards, for agents whose protocol messages do not. */
export type AcpAccount = {
  /** Arguments of the agent's program. Null if the id has another format than its conversations. */
  readonly args: (conversation: Conversation) => readonly string[] | null;
  readonly read: (output: string) => Usage | null;
};

const ACCOUNT_TIMEOUT_SECONDS = 30;

type AccountQuery = Pick<AgentProcessOptions, "cwd" | "env" | "nonce" | "access" | "sandbox"> & {
  readonly program: string;
};

/** Runs the command in the directory and sandbox of the execution. Returns null if the usage is unknown. */
export async function askAccount(
  { args, read }: AcpAccount,
  conversation: Conversation,
  { program, ...place }: AccountQuery,
): Promise<Usage | null> {
  const wanted = args(conversation);
  if (wanted === null) return null;
  const lines: string[] = [];
  const { exitCode } = await startFoundProgram(
    {
      ...place,
      argv: [program, ...wanted],
      stdin: "",
      silenceSeconds: ACCOUNT_TIMEOUT_SECONDS,
      onLine: ({ text }) => void lines.push(text),
    },
    AbortSignal.timeout(ACCOUNT_TIMEOUT_SECONDS * 1000),
  );
  return exitCode === 0 ? read(lines.join("\n")) : null;
}
