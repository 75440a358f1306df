import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createAcpBackend } from "../../src/adapters/agents/acp/backend.ts";
import { acpEnvironment, knownAcpAgent } from "../../src/adapters/agents/acp/known-agents.ts";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import { isolatedAgent, type IsolatedAgent, type IsolationOptions } from "../stub-model/isolated-agent.ts";
import type { Rule } from "../stub-model/scenario.ts";
import { geminiPackage, opencodePackage, type AgentPackage } from "../support/agent-binaries.ts";

export type AcpSetup = IsolatedAgent & { readonly backend: AgentBackend };

/** Configures a real agent to use the scripted model, like a user would in their home folder. */
type Recipe = {
  readonly agent: AgentPackage;
  /** The user's own arguments. */
  readonly args: readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly settings: (url: string) => { readonly file: string; readonly contents: object };
};

export const ACP_RECIPES = {
  gemini: {
    agent: geminiPackage,
    args: ["-m", "gemini-2.5-pro"], // Without it, the agent first asks another model which one to use.
    env: (url) => ({
      GEMINI_API_KEY: "no-real-key",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: "false",
    }),
    settings: () => ({
      file: ".gemini/settings.json",
      contents: {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      },
    }),
  },
  opencode: {
    agent: opencodePackage,
    args: [],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    settings: (url) => ({
      file: ".config/opencode/opencode.json",
      contents: {
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "no-real-key" },
            models: { scripted: { limit: { context: 200_000, output: 8000 }, cost: { input: 1, output: 2 } } },
          },
        },
      },
    }),
  },
} as const satisfies Readonly<Record<string, Recipe>>;

/** A real agent that talks to a scripted model, through our backend for it. */
export async function withAcpAgent(
  name: keyof typeof ACP_RECIPES,
  rules: readonly Rule[],
  options: IsolationOptions = {},
): Promise<AcpSetup> {
  const recipe: Recipe = ACP_RECIPES[name];
  const setup = await isolatedAgent(recipe.agent, rules, options);
  const { file, contents } = recipe.settings(setup.url);
  mkdirSync(dirname(join(setup.home, file)), { recursive: true });
  writeFileSync(join(setup.home, file), JSON.stringify(contents));
  const known = knownAcpAgent(name);
  if (known === null) throw new Error(`${name} is not known`);
  const env = acpEnvironment(known, { ...setup.env, ...recipe.env(setup.url) });
  return { ...setup, backend: createAcpBackend({ name, ...known, argv: [...known.argv, ...recipe.args], env }) };
}
