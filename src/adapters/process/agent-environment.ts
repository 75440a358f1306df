export type Environment = Readonly<Record<string, string | undefined>>;

export const AGENT_VARIABLE = "ISDLC_AGENT";
export const NONCE_VARIABLE = "ISDLC_NONCE";
const OWN_PREFIX = "ISDLC_";

/** Returns the user's environment without isdlc's variables, above all tokens, plus the markers of this execution. */
export function agentEnvironment(env: Environment, nonce: string): Record<string, string> {
  return { ...withoutOwnVariables(env), [AGENT_VARIABLE]: "1", [NONCE_VARIABLE]: nonce };
}

function withoutOwnVariables(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.toUpperCase().startsWith(OWN_PREFIX)) kept[name] = value;
  }
  return kept;
}
