import type { Usage } from "../../schema/agent.ts";
import { startFoundProgram } from "../process/start-found-program.ts";
import type { AgentProcessOptions } from "../process/start-agent-process.ts";

/** What an execution talked in. */
export type Conversation = {
  readonly id: string;
  /** Milliseconds since 1970 at which the execution began: a conversation may be older. */
  readonly since: number;
};

/** How an agent is asked afterwards what it used, where the protocol does not tell. */
export type AcpAccount = {
  /** Arguments of its program; null for what is no conversation of it. */
  readonly args: (conversation: Conversation) => readonly string[] | null;
  readonly read: (output: string) => Usage | null;
};

const ACCOUNT_TIMEOUT_SECONDS = 30;

type AccountQuery = Pick<AgentProcessOptions, "cwd" | "env" | "nonce" | "access" | "sandbox"> & {
  readonly program: string;
};

/** Asks in the same place as it worked in; null where it does not know, and unknown stays unknown. */
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
