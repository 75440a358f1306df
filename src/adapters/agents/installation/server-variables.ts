import { OWN_MARKERS } from "../../identity/agent-markers.ts";
import { FOR_AGENTS } from "../../process/child-environment.ts";

const words = (...lines: readonly string[]): readonly string[] => lines.join(" ").split(" ");

/** Logins and endpoints documented by the products whose agents review the work of a session. */
const LOGINS = words(
  "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_FOUNDRY ANTHROPIC_FOUNDRY_API_KEY",
  "ANTHROPIC_VERTEX_PROJECT_ID CLOUD_ML_REGION OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME",
  "AZURE_OPENAI_API_KEY GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GENAI_USE_VERTEXAI GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN",
  "AWS_REGION AWS_DEFAULT_REGION AWS_PROFILE AWS_BEARER_TOKEN_BEDROCK COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN",
  "DASHSCOPE_API_KEY OPENROUTER_API_KEY DEEPSEEK_API_KEY GROQ_API_KEY MISTRAL_API_KEY XAI_API_KEY",
);
const FOLDERS = words("XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR");
const PROXIES = words("http_proxy https_proxy all_proxy no_proxy");

/**
 * Variables of isdlc's server in a product that passes only named ones: the user's folders, the markers of a run's
 * agents, and what reviewers need to log in. Patterns are not possible there.
 */
export const SERVER_VARIABLES: readonly string[] = [
  ...new Set([...FOLDERS, ...OWN_MARKERS, ...FOR_AGENTS.filter((name) => !name.endsWith("*")), ...PROXIES, ...LOGINS]),
].filter((name) => !/^(?:PATH|HOME|SHELL|USER|LOGNAME|LANG|TERM|TMPDIR|TZ)$/.test(name)); // passed by the product itself
