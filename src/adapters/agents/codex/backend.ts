import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Problem } from "../../../core/problem.ts";
import type { AgentBackend, AgentEvent, AgentTask, Capabilities } from "../../../ports/agent-backend.ts";
import type { Usage } from "../../../schema/agent.ts";
import { makeTemporaryFolder, removeFolder } from "../../files/temporary-folder.ts";
import { askVersion } from "../../process/ask-version.ts";
import { type Emit, streamEvents, tell } from "../../process/stream-events.ts";
import { codexArguments, distrustArguments, type SettingsListing, withoutServers, resultSchema } from "./arguments.ts";
import { readConversation, codexHome } from "./conversation.ts";
import type { CodexConversation, ConversationTokens } from "./conversation.ts";
import { codexEnd, isLostConversation, usedSince } from "./end.ts";
import type { CodexOutcome } from "./end.ts";
import { readCodexLine } from "./output.ts";
import type { TurnEnd } from "./output.ts";
import { deniedCommand, progressTexts, readSign } from "./progress.ts";
import { createRolloutUsage } from "./usage.ts";
import { startFoundProgram } from "../../process/find-program.ts";
import type { Environment, Sandbox } from "../../process/child-environment.ts";

export type CodexBackendOptions = {
  /** Path, or a name to find on PATH. */
  readonly program: string;
  readonly env: Environment;
  /**
   * The user's own arguments, such as a model. They come first: ours override them. Only the switch that disables
   * every sandbox has no opposite.
   */
  readonly extraArgs?: readonly string[];
  readonly sandbox?: Sandbox | undefined;
};

const NAME = "codex";

/**
 * Creates the backend for Codex. Each execution starts a new process and reads its JSON lines. Codex has no limit on
 * turns or cost, and reports tokens but no cost.
 */
export function createCodexBackend(options: CodexBackendOptions): AgentBackend {
  const command = [options.program, ...(options.extraArgs ?? [])];
  return {
    name: NAME,
    digest: createHash("sha256").update(JSON.stringify(command)).digest("hex"),
    probe: () => probe(options),
    run: (task, signal) =>
      streamEvents(
        (emit, stop) =>
          withSchema(options, task.role, (schema) => execute({ command, options, task, emit, schema }, stop)),
        signal,
      ),
  };
}

type Execution = {
  readonly command: readonly string[];
  readonly options: CodexBackendOptions;
  readonly task: AgentTask;
  readonly emit: Emit;
  /** File with the schema of the result. */
  readonly schema: string;
};

/** Codex accepts the schema only as a file. */
async function withSchema(
  options: CodexBackendOptions,
  role: AgentTask["role"],
  use: (file: string) => Promise<void>,
): Promise<void> {
  const folder = await makeTemporaryFolder(await folderForFiles(options));
  try {
    const file = join(folder, "result.json");
    await writeFile(file, JSON.stringify(resultSchema(role)));
    await use(file);
  } finally {
    await removeFolder(folder);
  }
}

/** A sandbox has its own temporary folder, but shares the folder of Codex's log. */
async function folderForFiles({ env, sandbox }: CodexBackendOptions): Promise<string> {
  if (sandbox === undefined) return tmpdir();
  const folder = join(codexHome(env, env["HOME"] ?? homedir()), "log");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function execute(execution: Execution, signal: AbortSignal): Promise<void> {
  const { task, emit } = execution;
  const earlier = task.session === null ? null : readConversation(task.session);
  const servers = task.role === "reviewer" ? await withoutServers(listing(execution), signal) : null;
  if (task.role === "reviewer" && servers === null && !signal.aborted) {
    emit(codexEnd(neverStarted("Codex did not report which MCP servers it would start for the reviewer"), task));
    return;
  }
  let outcome = await converse({ ...execution, servers }, earlier, signal);
  if (earlier !== null && isLostConversation(outcome)) {
    emit(progress("The earlier conversation is gone; starting a new one"));
    outcome = await converse({ ...execution, servers }, null, signal);
  }
  const { left } = outcome.process;
  if (left.length > 0) emit(progress(`These processes could not be ended: ${left.join(", ")}`));
  emit(codexEnd(outcome, task));
}

function listing({ command, options, task: { cwd } }: Execution): SettingsListing {
  const { env, sandbox } = options;
  return { command: [...command, ...distrustArguments(cwd)], cwd, env: withoutRelativeHome(env), sandbox };
}

function neverStarted(why: string): CodexOutcome {
  const process = { ended: "notStarted", exitCode: null, signal: null, stderrTail: why, left: [] } as const;
  return { process, turn: null, message: null, conversation: null, denied: [], noted: null };
}

async function converse(
  { command, options, task, emit, schema, servers }: Execution & { readonly servers: string | null },
  earlier: CodexConversation | null,
  signal: AbortSignal,
): Promise<CodexOutcome> {
  let turn: TurnEnd | null = null;
  let message: string | null = null;
  let conversation: CodexConversation | null = null;
  const denied = new Set<string>();
  const env = withoutRelativeHome(options.env);
  const log = createRolloutUsage(codexHome(env, env["HOME"] ?? homedir()));
  let noted: ConversationTokens | null = null;
  const look = (): Usage | null => {
    const now = conversation === null ? null : log.look(conversation.id);
    if (conversation === null || now === null || isSame(noted, now)) return null;
    noted = now;
    return usedSince(conversation, now);
  };
  const onLine = ({ text }: { readonly text: string }): void => {
    const line = readCodexLine(text);
    if (line === null) return;
    if (line.type === "thread.started") conversation = begun(line.thread_id, earlier);
    if (line.type === "turn.completed" || line.type === "turn.failed") turn = line;
    if (line.type === "item.completed" && line.item.type === "agent_message") message = line.item.text;
    const refused = deniedCommand(line);
    if (refused !== null && denied.size < MAX_DENIED) denied.add(refused);
    const usage = look();
    tell(emit, { texts: progressTexts(line, task.cwd), usage, sign: readSign(line, usage !== null) });
  };
  const { sandbox } = options;
  const { cwd, access, nonce, prompt, limits } = task;
  const argv = [
    ...command,
    ...codexArguments(task, { schema, resume: earlier?.id ?? null, sandboxed: sandbox !== undefined, servers }),
  ];
  const process = await startFoundProgram(
    { argv, cwd, access, sandbox, env, nonce, stdin: prompt, silenceSeconds: limits.silence, onLine },
    signal,
  );
  look();
  return { process, turn, message, conversation, denied: [...denied], noted };
}

/** Removes a relative `CODEX_HOME`: Codex would search the working directory for its settings. */
const withoutRelativeHome = (env: Environment): Environment =>
  env["CODEX_HOME"]?.startsWith("/") === true ? env : { ...env, CODEX_HOME: undefined };

const isSame = (one: ConversationTokens | null, other: ConversationTokens): boolean =>
  one !== null && one.input === other.input && one.output === other.output;

/** Denied commands reported to the user per execution. */
const MAX_DENIED = 20;

/** Codex may open another conversation than requested. A new one has no usage yet. */
function begun(id: string, earlier: CodexConversation | null): CodexConversation {
  return { id, before: earlier?.id === id ? earlier.before : { input: 0, output: 0 } };
}

const progress = (text: string): AgentEvent => ({ type: "progress", text, usage: null });

const ABLE = { structuredResult: true, readOnly: true, cost: false, turns: false, budget: false, resumes: true };

async function probe({ program, env }: CodexBackendOptions): Promise<Capabilities | Problem> {
  const { text, said } = await askVersion(program, env);
  const version = /^codex\S* ([0-9]+\.[0-9]+\.[0-9]+)/.exec(text ?? "")?.[1];
  return version === undefined ? { code: "AGENT_MISSING", agent: NAME, detail: said } : { version, ...ABLE };
}
