import { AGENT_VARIABLE, NONCE_VARIABLE } from "../process/child-environment.ts";

/** Variables that isdlc sets for every agent it starts. */
export const OWN_MARKERS: readonly string[] = [NONCE_VARIABLE, AGENT_VARIABLE];

/**
 * Variables that other hosts set for the commands of their agents. Only those missing in a user's own terminal:
 * CURSOR_TRACE_ID or REPL_ID, for example, are also set for users.
 */
export const HOST_MARKERS: readonly string[] = [
  "CLAUDECODE", // Claude Code, for every shell command
  "CLAUDE_CODE_ENTRYPOINT", // Claude Code, also for its hooks and servers
  "CODEX_SANDBOX", // Codex, commands in its sandbox
  "CODEX_SANDBOX_NETWORK_DISABLED", // Codex, commands without network
  "CODEX_THREAD_ID", // Codex, every command
  "CODEX_CI", // Codex, commands of its unattended mode
  "GEMINI_CLI", // Gemini CLI, for every shell command
  "QWEN_CODE", // Qwen Code, a fork of Gemini CLI
  "OPENCODE", // opencode
  "CURSOR_AGENT", // Cursor's agent, not its terminal
  "COPILOT_CLI", // GitHub Copilot CLI
  "AUGMENT_AGENT", // Augment
  "AMP_CURRENT_THREAD_ID", // Amp
  "ANTIGRAVITY_AGENT", // Antigravity
  "AI_AGENT", // by convention, for programs that identify as an agent
];

/** Variables of one session of a product. A program that starts its own session must not inherit them. */
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

/** Removes the markers and variables of a session, for agents started from within it. */
export function withoutSessionMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const marks = new Set([...HOST_MARKERS, ...SESSION_VARIABLES]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !marks.has(name)));
}
