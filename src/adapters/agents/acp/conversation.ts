import * as z from "zod/mini";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import { serviceFailure } from "../../process/service-trouble.ts";
import { acpAnswer, type AcpAnswer } from "./answer.ts";
import { AcpError, TOO_LONG, type AcpConnection } from "./connection.ts";
import { failed, type ExecutionResult } from "../../process/execution-end.ts";
import { Initialized, LoadedSession, NewSession, PROTOCOL_VERSION, PromptResult } from "./messages.ts";
import type { AcpSession } from "./session.ts";
import { acpPrompt, acpReminder } from "./turn.ts";

/** Names of the agent's modes for read-only and writing tasks. Null keeps its default. */
export type AcpModes = { readonly read: string | null; readonly write: string | null };

export type AcpTalk = {
  readonly connection: AcpConnection;
  readonly session: AcpSession;
  readonly task: AgentTask;
  readonly modes: AcpModes;
  /** Selected model, as listed by the agent. Null if none is selected or the agent lists no models. */
  readonly model: string | null;
  /** True in a sandbox, where its mode does not decide what it can do. */
  readonly sandboxed: boolean;
  /** Sent when a conversation is opened; understood by this agent only. */
  readonly meta: object | undefined;
  /** Instructions to sign in, for users whose credentials are rejected. */
  readonly signIn: string | null;
  readonly show: (text: string) => void;
  /** Called when a conversation is open. `lasts` is true if it can be resumed later. */
  readonly onOpened: (id: string, lasts: boolean) => void;
};

/**
 * Runs a conversation from the greeting to a valid result. Asks again, once, if the final message has no valid result.
 * @throws ConnectionLost if the agent exits before the end.
 */
export async function converse(talk: AcpTalk): Promise<ExecutionResult> {
  try {
    const id = await open(talk);
    if (typeof id !== "string") return id;
    return await work(talk, id);
  } catch (error) {
    if (!(error instanceof AcpError)) throw error;
    return refused(error, talk.signIn);
  }
}

function refused({ code, message }: AcpError, signIn: string | null): ExecutionResult {
  if (code === NO_ANSWER) return failed("silent", message, true);
  const fault = serviceFailure({ status: readStatus(code), text: message }, signIn);
  return fault === null
    ? failed("agent_failed", message, code === INTERNAL_ERROR)
    : failed(fault.reason, fault.detail, fault.again);
}

/** Returns the id of the conversation, or the failure. */
async function open(talk: AcpTalk): Promise<string | ExecutionResult> {
  const { connection, task } = talk;
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: "isdlc", version: "1" };
  const greeting = { protocolVersion: PROTOCOL_VERSION, clientCapabilities, clientInfo };
  const greeted = await ask(talk, Initialized, connection.request("initialize", greeting));
  if (greeted.protocolVersion !== PROTOCOL_VERSION) {
    const spoken = `it speaks version ${greeted.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`;
    return failed("not_started", spoken, false);
  }
  const { loadSession } = greeted.agentCapabilities;
  const loaded = task.session !== null && loadSession ? await load(talk, task.session) : null;
  if (task.session !== null && loaded === null) talk.show("The earlier conversation is gone; starting a new one");
  const opened = loaded ?? (await begin(talk));
  talk.onOpened(opened.sessionId, loadSession);
  talk.session.usage.begin(loaded === null);
  return (await chooseModel(talk, opened)) ?? (await chooseMode(talk, opened)) ?? opened.sessionId;
}

type NewSessionResult = z.infer<typeof NewSession>;

/** Returns null if the agent no longer has the conversation. While it loads, the agent replays all of its messages. */
async function load(talk: AcpTalk, sessionId: string): Promise<NewSessionResult | null> {
  talk.session.open(sessionId);
  try {
    const request = talk.connection.request("session/load", { sessionId, ...sessionParams(talk) });
    return { ...(await ask(talk, LoadedSession, request)), sessionId };
  } catch (error) {
    if (error instanceof AcpError) return null;
    throw error;
  }
}

async function begin(talk: AcpTalk): Promise<NewSessionResult> {
  const request = talk.connection.request("session/new", sessionParams(talk));
  const opened = await ask(talk, NewSession, request);
  talk.session.open(opened.sessionId);
  return opened;
}

const sessionParams = ({ task, meta }: AcpTalk): object => ({ cwd: task.cwd, mcpServers: [], _meta: meta });

/** Returns null on success. A model missing from the list is a failure: some agents would silently use another one. */
async function chooseModel(talk: AcpTalk, opened: NewSessionResult): Promise<ExecutionResult | null> {
  const { connection, model } = talk;
  const choice = opened.configOptions?.find((option) => option?.category === "model");
  if (model === null || choice?.category !== "model" || choice.currentValue === model) return null;
  const isListed = choice.options.some(({ value }) => value === model);
  if (!isListed) return failed("agent_failed", `There is no model "${model}".${similar(model, choice.options)}`, false);
  const params = { sessionId: opened.sessionId, configId: choice.id, value: model };
  await ask(talk, z.unknown(), connection.request("session/set_config_option", params));
  return null;
}

const MAX_MODELS = 5;

/** Suggests models of the same provider, for a mistyped name. */
function similar(model: string, options: readonly { readonly value: string }[]): string {
  const provider = `${model.split("/")[0] ?? ""}/`;
  const names = options.map(({ value }) => value).filter((value) => value.startsWith(provider));
  return names.length === 0 ? "" : ` There is: ${names.slice(0, MAX_MODELS).join(", ")}.`;
}

/** Returns null on success. */
async function chooseMode(talk: AcpTalk, opened: NewSessionResult): Promise<ExecutionResult | null> {
  const wanted = talk.modes[talk.task.access];
  if (wanted === null) return null;
  const change = modeChange(opened, wanted);
  if (change === null) return withoutMode(talk, `It offers no mode "${wanted}"`);
  try {
    const params = { sessionId: opened.sessionId, ...change.params };
    await ask(talk, z.unknown(), talk.connection.request(change.method, params));
    return null;
  } catch (error) {
    if (!(error instanceof AcpError) || error.code === NO_ANSWER) throw error;
    return withoutMode(talk, `It refuses the mode "${wanted}": ${error.message}`);
  }
}

/** Fails a read-only task without a sandbox: in another mode the agent may write without asking. */
function withoutMode({ task, sandboxed, show }: AcpTalk, text: string): ExecutionResult | null {
  if (task.access === "read" && !sandboxed) return failed("not_started", text, false);
  show(text);
  return null;
}

/** Returns null if the agent does not offer the mode. */
function modeChange(
  { modes, configOptions }: NewSessionResult,
  wanted: string,
): { method: string; params: object } | null {
  const isMode = modes?.availableModes.some(({ id }) => id === wanted) ?? false;
  if (isMode) return { method: "session/set_mode", params: { modeId: wanted } };
  const choice = configOptions?.find(
    (option) => option?.category === "mode" && option.options.some(({ value }) => value === wanted),
  );
  return choice ? { method: "session/set_config_option", params: { configId: choice.id, value: wanted } } : null;
}

async function work(talk: AcpTalk, sessionId: string): Promise<ExecutionResult> {
  const { role } = talk.task;
  const first = await prompt(talk, sessionId, acpPrompt(talk.task));
  if (!isUnanswered(first)) return first;
  talk.show("Its answer has no valid result; asking again");
  const second = await prompt(talk, sessionId, acpReminder(role, describeProblem(first)));
  if (!isUnanswered(second)) return second;
  return second.how === "missing"
    ? failed("no_result", "it gave no result, even when asked again", true)
    : failed("invalid_result", second.detail, true);
}

type AcpFailure = Extract<AcpAnswer, { how: "missing" | "invalid" }>;

const isUnanswered = (answer: ExecutionResult | AcpFailure): answer is AcpFailure =>
  answer.how === "missing" || answer.how === "invalid";

const describeProblem = (answer: AcpFailure): string =>
  answer.how === "missing" ? "there is no JSON object at its end." : answer.detail;

/** Failures by stop reason. A failure by chance is retried (`true`), a limit on calls or a refusal is not. */
const STOPPED: Readonly<Record<string, ExecutionResult>> = {
  max_tokens: failed("agent_failed", "the model reached its limit on tokens", true),
  max_turn_requests: failed("agent_failed", "it reached its limit on calls to the model", false),
  refusal: failed("agent_failed", "the model refused to continue", false),
  cancelled: failed("agent_failed", "it says that it was cancelled", true),
};

async function prompt(talk: AcpTalk, sessionId: string, text: string): Promise<ExecutionResult | AcpFailure> {
  const { connection, session, task } = talk;
  session.beginTurn();
  const request = { sessionId, prompt: [{ type: "text", text }] };
  const response = read(PromptResult, await connection.request("session/prompt", request));
  const { message, didSomething } = session.endTurn();
  session.usage.addTurn(response);
  const { stopReason } = response;
  if (stopReason !== "end_turn") {
    return STOPPED[stopReason] ?? failed("agent_failed", `it stopped for an unknown reason: ${stopReason}`, false);
  }
  // some agents end a turn this way if the model service fails
  if (!didSomething) return failed("no_result", "it ended its turn without a reply", true);
  return acpAnswer(message, task.role);
}

/** Waits for a response, at most for the silence limit. Other output does not extend the time. */
async function ask<Schema extends z.ZodMiniType>(
  { task }: AcpTalk,
  schema: Schema,
  request: Promise<unknown>,
): Promise<z.infer<Schema>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AcpError(NO_ANSWER, `it did not answer within ${task.limits.silence} seconds`);
    timer = setTimeout(() => reject(error), Math.min(task.limits.silence * 1000, MAX_PROMPT_TIMER_MS));
  });
  try {
    return read(schema, await Promise.race([request, late]));
  } finally {
    clearTimeout(timer);
  }
}

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new AcpError(UNREADABLE, `it answered in an unknown way: ${z.prettifyError(parsed.error)}`);
}

const MAX_PROMPT_TIMER_MS = 2 ** 31 - 1;
const NO_ANSWER = 408;
const UNREADABLE = -32_700;
const AUTHENTICATION_REQUIRED = -32_000;
const INTERNAL_ERROR = -32_603;

/**
 * Returns the status of the model service, if the code is one. Agents send JSON-RPC codes or such a status; `TOO_LONG`
 * is our own code.
 */
function readStatus(code: number): number | null {
  if (code === AUTHENTICATION_REQUIRED) return 401;
  return code >= 400 && code < 600 && code !== TOO_LONG ? code : null;
}
