import type { Environment } from "../process/agent-environment.ts";
import { FOR_TESTS, pickVariables } from "../process/child-environment.ts";

export type TestEnvironmentOptions = {
  /** Variables that a person lets through besides. */
  readonly variables: readonly string[];
  /** Tools are told not to try: they would wait for an answer. */
  readonly offline: boolean;
  /** For Python, which would otherwise prefer what lies beside a source to the source. */
  readonly caches: string;
};

/** Made anew for the tests, which are code of the agent: what is not listed does not reach them. */
export function testEnvironment(
  env: Environment,
  { variables, offline, caches }: TestEnvironmentOptions,
): Record<string, string> {
  const kept = pickVariables(env, [...FOR_TESTS, ...variables.filter((name) => !name.endsWith("*"))]);
  return { ...kept, ...(offline ? OFFLINE : {}), CI: "1", PYTHONPYCACHEPREFIX: caches };
}

const OFFLINE = { CARGO_NET_OFFLINE: "true", GOPROXY: "off", npm_config_offline: "true", npm_config_audit: "false" };
