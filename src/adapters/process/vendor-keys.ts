import type { Environment } from "./child-environment.ts";

/** Variables with keys to the models of one vendor. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  openai: ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "AZURE_OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  alibaba: ["DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  groq: ["GROQ_API_KEY"],
  mistral: ["MISTRAL_API_KEY", "CODESTRAL_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  xai: ["XAI_API_KEY"],
};

/** Vendor of each agent's models. Other agents can use any vendor, known only to the user. */
const VENDOR_OF: Readonly<Record<string, string>> = {
  claude: "anthropic",
  "claude-acp": "anthropic",
  codex: "openai",
  "codex-acp": "openai",
  gemini: "google",
  copilot: "github",
};

export type KeyHolder = {
  readonly agent: string;
  /** `vendor/model` for an agent with models of any vendor. */
  readonly model: string | undefined;
  /** True for a variable named in the user's settings of the agent. */
  readonly isNamed: (variable: string) => boolean;
};

/**
 * Returns the environment without keys of vendors whose models the agent does not use. Variables named in the user's
 * settings of the agent stay.
 */
export function withoutOtherKeys({ agent, model, isNamed }: KeyHolder, env: Environment): Environment {
  const vendor = Object.hasOwn(VENDOR_OF, agent) ? VENDOR_OF[agent] : findVendor(model);
  if (vendor === undefined) return env;
  const others = Object.entries(KEYS).flatMap(([name, variables]) => (name === vendor ? [] : variables));
  const kept = new Set(others.filter(isNamed));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name) || kept.has(name)));
}

function findVendor(model: string | undefined): string | undefined {
  const provider = model?.split("/")[0] ?? "";
  return Object.hasOwn(KEYS, provider) ? provider : undefined;
}
