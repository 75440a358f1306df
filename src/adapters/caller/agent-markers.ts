import { AGENT_VARIABLE, NONCE_VARIABLE } from "../process/agent-environment.ts";

/** What we put into the environment of every agent we start. */
export const OWN_MARKERS: readonly string[] = [NONCE_VARIABLE, AGENT_VARIABLE];

/**
 * What other hosts put into the environment of the commands their agents run. Only variables that a person's own
 * terminal does not carry as well: CURSOR_TRACE_ID or REPL_ID, say, are also set for people.
 */
export const HOST_MARKERS: readonly string[] = [
  "CLAUDECODE", // Claude Code, for every shell command
  "CLAUDE_CODE_ENTRYPOINT", // Claude Code, also for hooks and servers it starts
  "CODEX_SANDBOX", // Codex, commands in its sandbox
  "CODEX_SANDBOX_NETWORK_DISABLED", // Codex, commands without network
  "CODEX_THREAD_ID", // Codex, every command
  "CODEX_CI", // Codex, commands of its unattended mode
  "GEMINI_CLI", // Gemini CLI, for every shell command
  "QWEN_CODE", // Qwen Code, which grew out of Gemini CLI
  "OPENCODE", // opencode
  "CURSOR_AGENT", // Cursor's agent, not its terminal
  "COPILOT_CLI", // GitHub Copilot CLI
  "AUGMENT_AGENT", // Augment
  "AMP_CURRENT_THREAD_ID", // Amp
  "ANTIGRAVITY_AGENT", // Antigravity
  "AI_AGENT", // by convention: whatever wants to be known as an agent
];

/** What a product tells the programs of one session about it; a program that begins a session of its own starts without. */
const SESSION_VARIABLES: readonly string[] = [
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_PID",
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_ENV_FILE",
  "CLAUDE_EFFORT",
];

/** The environment without a session's marks, for agents that are started from within it. */
export function withoutSessionMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const marks = new Set([...HOST_MARKERS, ...SESSION_VARIABLES]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !marks.has(name)));
}
