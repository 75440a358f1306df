import { FOR_AGENTS, pickVariables, type Environment } from "./child-environment.ts";
import { type KeyHolder, withoutOtherKeys } from "./vendor-keys.ts";

/** Cloud accounts that provide models of other vendors. */
const CLOUDS = ["AWS_*", "GOOGLE_*", "GCLOUD_*", "CLOUD_ML_REGION", "VERTEX_*", "AZURE_*"];

const CLAUDE = [
  "ANTHROPIC_*",
  "CLAUDE_*",
  "API_TIMEOUT_MS",
  "MAX_THINKING_TOKENS",
  "MAX_MCP_OUTPUT_TOKENS",
  "MCP_*",
  "OTEL_*",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
  "BASH_MAX_OUTPUT_LENGTH",
  "DISABLE_*",
  "ENABLE_*",
  "USE_BUILTIN_RIPGREP",
  "IS_SANDBOX",
];
const CODEX = ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*", "RUST_LOG"];
const GEMINI = ["GEMINI_*", "GOOGLE_*", "GCLOUD_*", "CLOUDSDK_*"];
const COPILOT = ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"];
const QWEN = ["QWEN_*", "DASHSCOPE_*", "BAILIAN_*", "MODELSCOPE_*"];
const VENDORS = [
  "ANTHROPIC_*",
  "OPENAI_*",
  "AZURE_OPENAI_*",
  "GEMINI_*",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "DASHSCOPE_*",
  "DEEPSEEK_*",
  "GROQ_*",
  "MISTRAL_*",
  "CODESTRAL_*",
  "OPENROUTER_*",
  "XAI_*",
  "OLLAMA_*",
];

/** Variables documented by each product. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  claude: [...CLAUDE, ...CLOUDS],
  "claude-acp": [...CLAUDE, ...CLOUDS],
  codex: CODEX,
  "codex-acp": CODEX,
  gemini: GEMINI,
  copilot: COPILOT,
  qwen: [...QWEN, ...VENDORS],
  opencode: ["OPENCODE_*", ...VENDORS, ...CLOUDS],
};

/** A user's own program may wrap any of the products. */
const ANY = [...CLAUDE, ...CODEX, ...COPILOT, ...QWEN, ...VENDORS, "OPENCODE_*"];

/**
 * Returns the environment of an agent: variables for its product and those named in its settings, without keys of other
 * vendors, plus all variables allowed by the user.
 */
export function agentVariables(agent: KeyHolder, env: Environment, allowed: readonly string[]): Environment {
  const own = Object.hasOwn(OWN, agent.agent) ? (OWN[agent.agent] ?? []) : ANY;
  const named = Object.keys(env).filter((name) => agent.isNamed(name));
  const kept = withoutOtherKeys(agent, pickVariables(env, [...FOR_AGENTS, ...own, ...named]));
  return { ...kept, ...pickVariables(env, allowed) };
}
