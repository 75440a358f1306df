import { createHash } from "node:crypto";
import type { Problem } from "../../../core/problem.ts";
import { larger } from "../../../core/execution-watch.ts";
import type { AgentBackend, AgentTask, Capabilities, AgentEnd } from "../../../ports/agent-backend.ts";
import type { AgentSign, Usage } from "../../../schema/agent.ts";
import { askVersion } from "../../process/ask-version.ts";
import type { Line } from "../../process/line-splitter.ts";
import type { AgentInput, AgentProcessEnd } from "../../process/start-agent-process.ts";
import { streamEvents, tell, type Emit } from "../../process/stream-events.ts";
import { askAccount, type AcpAccount } from "./account.ts";
import { followCalls, type CallLog, type CallNews, type FollowedCalls } from "./call-log.ts";
import { ConnectionLost, createAcpConnection } from "./connection.ts";
import { converse, type AcpModes } from "./conversation.ts";
import {
  type ExecutionResult,
  exitText,
  type ExecutionFailure,
  failed,
  stopped,
  withDenied,
} from "../../process/execution-end.ts";
import { createAcpSession, type AcpTraits } from "./session.ts";
import { startFoundProgram } from "../../process/find-program.ts";
import type { Environment, Sandbox } from "../../process/child-environment.ts";

export type AcpBackendOptions = {
  readonly name: string;
  /** Program and arguments that start it with the Agent Client Protocol on its standard streams. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly mode?: AcpModes;
  /** Sandbox of the agent. Without one, only its mode and its permission requests keep it from writing. */
  readonly sandbox?: Sandbox | undefined;
  readonly traits?: AcpTraits;
  /** Sent when a conversation is opened; understood by this agent only. */
  readonly meta?: object | undefined;
  /** Keeps the user's MCP servers from a reviewer. */
  readonly reviewer?: { readonly args?: readonly string[]; readonly meta?: object } | undefined;
  /** Selected model, for agents that list their models. */
  readonly model?: string | undefined;
  readonly calls?: CallLog | undefined;
  readonly account?: AcpAccount | undefined;
  /** Instructions to install the agent and to sign in. */
  readonly help?: { readonly install: string; readonly signIn: string };
};

/** Time for an agent to answer a cancel, and to exit after its input is closed. */
const CANCEL_TIMEOUT_MS = 1000;

/** Creates the backend for any agent with the Agent Client Protocol. Each execution starts a new process. */
export function createAcpBackend(options: AcpBackendOptions): AgentBackend {
  const { name, argv, mode = NO_MODES } = options;
  return {
    name,
    digest: createHash("sha256")
      .update(JSON.stringify([argv, mode]))
      .digest("hex"),
    probe: () => probe(options),
    run: (task, signal) => streamEvents((emit, stop) => execute({ options, task, emit }, stop), signal),
  };
}

const NO_MODES: AcpModes = { read: null, write: null };
const UNKNOWN_TRAITS: AcpTraits = {
  readOnlyHolds: false,
  countsAllTokens: true,
  tellsCost: false,
  commandInTitle: false,
};

type Execution = { readonly options: AcpBackendOptions; readonly task: AgentTask; readonly emit: Emit };

async function execute(execution: Execution, signal: AbortSignal): Promise<void> {
  const { options, task, emit } = execution;
  const leave = new AbortController();
  const leaveSoon = (): void => void setTimeout(() => leave.abort(), CANCEL_TIMEOUT_MS).unref();
  const talk = createTalk(execution, leaveSoon);
  const onAbort = (): void => {
    if (talk.cancel()) leaveSoon();
    else leave.abort();
  };
  if (signal.aborted) leave.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const { calls } = talk;
  const argv = [...options.argv, ...calls.args, ...(task.role === "reviewer" ? (options.reviewer?.args ?? []) : [])];
  const env = { ...options.env, ...calls.variables };
  const { cwd, nonce, access, limits } = task;
  const streams = { stdin: talk.start, onLine: talk.receive, onStderr: calls.onStderr, silenceSeconds: limits.silence };
  const place = { cwd, env, nonce, access, sandbox: options.sandbox };
  const since = Date.now();
  const process = await startFoundProgram({ argv, ...place, ...streams }, leave.signal);
  signal.removeEventListener("abort", onAbort);
  calls.finish();
  const { told, conversation, ...talked } = await talk.finish();
  const account = { ...place, program: argv[0] ?? "", since, conversation };
  const outcome = { ...talked, usage: larger(talked.usage, await readAccount(options, account)) };
  for (const pid of process.left) emit({ type: "progress", text: `Process ${pid} could not be ended`, usage: null });
  if (signal.aborted) emit(acpEnd({ ...outcome, told: null, process: { ...process, ended: "aborted" } }, task));
  else emit(acpEnd({ ...outcome, told, process }, task));
}

type AccountOptions = Parameters<typeof askAccount>[2] & {
  readonly since: number;
  readonly conversation: string | null;
};

async function readAccount({ account }: AcpBackendOptions, accounting: AccountOptions): Promise<Usage | null> {
  const { conversation: id, since, ...asking } = accounting;
  return account === undefined || id === null ? null : askAccount(account, { id, since }, asking);
}

interface Talk {
  readonly calls: FollowedCalls;
  readonly start: (input: AgentInput) => void;
  readonly receive: (line: Line) => void;
  /** Returns false if there is no conversation to cancel yet. */
  cancel(): boolean;
  /** Called after the agent exited. */
  finish(): Promise<Omit<AcpOutcome, "process"> & { readonly conversation: string | null }>;
}

function createTalk({ options, task, emit }: Execution, onSpoken: () => void): Talk {
  const show = (text: string): void => emit({ type: "progress", text, usage: session.usage.news() });
  const note = (sign: AgentSign): void => tell(emit, { texts: [], sign });
  const session = createAcpSession({ task, traits: options.traits ?? UNKNOWN_TRAITS, show, note });
  const onNews = ({ usage, sign }: CallNews): void => tell(emit, { texts: [], usage, sign });
  const calls = followCalls({ log: options.calls, env: options.env, name: task.nonce, onNews });
  let input: AgentInput | null = null;
  let opened: { readonly id: string; readonly lasts: boolean } | null = null;
  let spoken: Promise<ExecutionResult | null> = Promise.resolve(null);
  const { onRequest, onNotification } = session;
  const connection = createAcpConnection({ send: (text) => input?.write(text), onRequest, onNotification });
  const onOpened = (id: string, lasts: boolean): void => void (opened = { id, lasts });

  const { mode: modes = NO_MODES, model = null } = options;
  const meta = task.role === "reviewer" ? (options.reviewer?.meta ?? options.meta) : options.meta;
  const signIn = options.help?.signIn ?? null;
  const sandboxed = options.sandbox !== undefined;

  const speak = async (): Promise<ExecutionResult | null> => {
    try {
      return await converse({ connection, session, task, modes, model, sandboxed, meta, signIn, show, onOpened });
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    } finally {
      input?.end();
      onSpoken();
    }
  };
  return {
    calls,
    start: (given) => {
      input = given;
      spoken = speak();
      spoken.catch(() => undefined); // thrown by `finish`
    },
    receive: (line) => connection.receive(line),
    cancel: () => {
      session.cancel();
      if (opened !== null) connection.notify("session/cancel", { sessionId: opened.id });
      return opened !== null;
    },
    finish: async () => {
      connection.close(new ConnectionLost("the agent is gone"));
      const told = await spoken;
      const usage = larger(session.usage.total(), calls.used());
      const [kept, denied] = [opened?.lasts ? opened.id : null, session.denied()];
      return { told, usage, session: kept, denied, noise: connection.noise(), conversation: opened?.id ?? null };
    },
  };
}

const NOT_IN_THE_PROTOCOL = { structuredResult: false, turns: false, budget: false };

async function probe(options: AcpBackendOptions): Promise<Capabilities | Problem> {
  const { name, argv, env, help, traits = UNKNOWN_TRAITS } = options;
  const { text, said } = await askVersion(argv[0] ?? "", env);
  if (text !== null) {
    const version = /[0-9]+\.[0-9]+\.[0-9]+\S*/.exec(text)?.[0] ?? "unknown";
    const readOnly = traits.readOnlyHolds || options.sandbox !== undefined;
    const { tellsCost: cost, resumes = false } = traits;
    return { version, ...NOT_IN_THE_PROTOCOL, readOnly, cost, resumes };
  }
  return { code: "AGENT_MISSING", agent: name, detail: help ? `${said} (to install it: ${help.install})` : said };
}

type AcpOutcome = {
  readonly process: AgentProcessEnd;
  /** Result of the conversation. Null if it was cut off. */
  readonly told: ExecutionResult | null;
  readonly usage: Usage | null;
  /** Null if there is no conversation to resume. */
  readonly session: string | null;
  /** Requests that were not allowed. */
  readonly denied: readonly string[];
  /** First line that was not a protocol message. */
  readonly noise: string | null;
};

/** Returns the result of the conversation. The end of the process counts only if it cut the conversation off. */
function acpEnd(outcome: AcpOutcome, task: AgentTask): AgentEnd {
  const { usage, session, denied } = outcome;
  const told = outcome.told ?? cutOff(outcome, task);
  return { type: "end", usage, session, ...withDenied(told, denied) };
}

function cutOff({ process: end, noise }: AcpOutcome, task: AgentTask): ExecutionFailure {
  const stop = stopped(end, task);
  if (stop !== null) return stop;
  const said = noise === null ? "" : `. ${noise}`;
  const detail = `in the middle of the conversation ${exitText(end)}${said}`;
  return failed(end.exitCode === 0 ? "no_result" : "bad_exit", detail, true);
}
