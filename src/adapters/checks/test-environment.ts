import type { Environment } from "../process/agent-environment.ts";
import { FOR_TESTS, pickVariables } from "../process/child-environment.ts";

export type TestEnvironmentOptions = {
  /** Additional variables that the user passes to the tests. */
  readonly variables: readonly string[];
  /** True to make tools avoid the network: they would wait for an answer. */
  readonly offline: boolean;
  /** Cache folder for Python, which would otherwise prefer compiled files next to a source to the source. */
  readonly caches: string;
};

/** Returns a new environment for the tests, which are code of the agent: only listed variables reach them. */
export function testEnvironment(
  env: Environment,
  { variables, offline, caches }: TestEnvironmentOptions,
): Record<string, string> {
  const kept = pickVariables(env, [...FOR_TESTS, ...variables.filter((name) => !name.endsWith("*"))]);
  return { ...kept, ...(offline ? OFFLINE : {}), CI: "1", PYTHONPYCACHEPREFIX: caches };
}

const OFFLINE = { CARGO_NET_OFFLINE: "true", GOPROXY: "off", npm_config_offline: "true", npm_config_audit: "false" };
