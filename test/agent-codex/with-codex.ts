import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../stub-model/scenario.ts";
import { isolatedAgent } from "../stub-model/isolated-agent.ts";
import type { IsolatedAgent, IsolationOptions } from "../stub-model/isolated-agent.ts";
import { codexPackage } from "../support/agent-binaries.ts";

/**
 * A real Codex that talks to a scripted model, configured like another service in the user's settings. `env` is
 * its complete environment, with `codex` in PATH.
 */
export async function withCodex(
  rules: readonly Rule[],
  settings = "",
  isolation: IsolationOptions = {},
): Promise<IsolatedAgent> {
  const agent = await isolatedAgent(codexPackage, rules, isolation);
  const folder = join(agent.home, ".codex");
  mkdirSync(folder);
  writeFileSync(join(folder, "config.toml"), `${settings}\n${serviceSettings(agent.url)}`);
  return { ...agent, env: { ...agent.env, CODEX_HOME: folder, SCRIPTED_KEY: "no-real-key" } };
}

const serviceSettings = (url: string): string => `
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
features = { apps = false, plugins = false } # both wait for a network that is not there

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;
