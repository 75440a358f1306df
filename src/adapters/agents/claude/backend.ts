import { createHash, randomUUID } from "node:crypto";
import type { Problem } from "../../../core/problem.ts";
import type { AgentBackend, AgentEvent, AgentTask, Capabilities } from "../../../ports/agent-backend.ts";
import { askVersion } from "../../process/ask-version.ts";
import { type Emit, streamEvents, tell } from "../../process/stream-events.ts";
import { claudeArguments } from "./arguments.ts";
import type { Conversation } from "./arguments.ts";
import { claudeEnd, isLostConversation } from "./end.ts";
import type { ClaudeOutcome } from "./end.ts";
import { readClaudeLine, progressTexts } from "./output.ts";
import type { ResultLine } from "./output.ts";
import { createRunningUsage, readSign } from "./usage.ts";
import { startFoundProgram } from "../../process/find-program.ts";
import type { Environment, Sandbox } from "../../process/child-environment.ts";

export type ClaudeBackendOptions = {
  /** Path, or a name to find on PATH. */
  readonly program: string;
  readonly env: Environment;
  /** The user's own arguments, such as a model. They come first: ours override them. */
  readonly extraArgs?: readonly string[];
  readonly sandbox?: Sandbox | undefined;
};

const NAME = "claude";

/**
 * With its default of ten retries, Claude Code gives up after more than three minutes; with seven, after one. The
 * user's setting has priority.
 */
const RETRIES = "7";
const RETRIES_VARIABLE = "CLAUDE_CODE_MAX_RETRIES";

/** Creates the backend for Claude Code. Each execution starts a new process and reads its JSON stream. */
export function createClaudeBackend(options: ClaudeBackendOptions): AgentBackend {
  const command = [options.program, ...(options.extraArgs ?? [])];
  const { sandbox } = options;
  const retries = { [RETRIES_VARIABLE]: options.env[RETRIES_VARIABLE] ?? RETRIES };
  const env = { ...options.env, ...retries };
  return {
    name: NAME,
    digest: createHash("sha256").update(JSON.stringify(command)).digest("hex"),
    probe: () => probe(options),
    run: (task, signal) => streamEvents((emit, stop) => execute({ command, env, sandbox, task, emit }, stop), signal),
  };
}

type Execution = {
  readonly command: readonly string[];
  readonly env: Environment;
  readonly sandbox: Sandbox | undefined;
  readonly task: AgentTask;
  readonly emit: Emit;
};

async function execute(execution: Execution, signal: AbortSignal): Promise<void> {
  const { task, emit } = execution;
  const fresh = (): Conversation => ({ id: randomUUID(), begins: true });
  const earlier = task.session !== null && SESSION.test(task.session) ? task.session : null;
  const isForeign = task.session !== null && earlier === null;
  if (isForeign) emit(progress(BEGINS_ANEW));
  let outcome = await converse(execution, earlier === null ? fresh() : { id: earlier, begins: false }, signal);
  if (earlier !== null && isLostConversation(outcome)) {
    emit(progress(BEGINS_ANEW));
    outcome = await converse(execution, fresh(), signal);
  }
  const { left } = outcome.process;
  if (left.length > 0) emit(progress(`These processes could not be ended: ${left.join(", ")}`));
  emit(claudeEnd(outcome, task));
}

const BEGINS_ANEW = "The earlier conversation is gone; starting a new one";

/**
 * Format of an id. Other texts belong to another product; Claude Code would search the titles of the user's
 * conversations for them.
 */
const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function converse(execution: Execution, conversation: Conversation, signal: AbortSignal): Promise<ClaudeOutcome> {
  const { command, env, sandbox, task, emit } = execution;
  const results: ResultLine[] = [];
  const usage = createRunningUsage();
  let session: string | null = null;
  const onLine = ({ text: read }: { readonly text: string }): void => {
    const line = readClaudeLine(read);
    if (line === null) return;
    if (line.type === "result") results.push(line);
    if (line.type === "system" && line.subtype === "init") session = line.session_id;
    const counts = line.type === "assistant" || line.type === "stream_event";
    const counted = counts ? usage.add(line) : { usage: null, isNew: false };
    const sign = readSign(line, counted.isNew);
    tell(emit, { texts: progressTexts(line, task.cwd), usage: counted.usage, sign });
  };
  const process = await startFoundProgram(
    {
      argv: [...command, ...claudeArguments(task, conversation)],
      cwd: task.cwd,
      access: task.access,
      sandbox,
      env,
      nonce: task.nonce,
      stdin: task.prompt,
      silenceSeconds: task.limits.silence,
      onLine,
    },
    signal,
  );
  return { process, results, session, seen: usage.total() };
}

const progress = (text: string): AgentEvent => ({ type: "progress", text, usage: null });

const ABLE = { structuredResult: true, readOnly: true, cost: true, turns: true, budget: true, resumes: true };

async function probe({ program, env }: ClaudeBackendOptions): Promise<Capabilities | Problem> {
  const { text, said } = await askVersion(program, env);
  const version = /^[0-9]+\.[0-9]+\.[0-9]+/.exec(text ?? "")?.[0];
  return version === undefined ? { code: "AGENT_MISSING", agent: NAME, detail: said } : { version, ...ABLE };
}
