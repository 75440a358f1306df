import { Policy } from "../../schema/policy.ts";

export type PolicyReading =
  | { readonly is: "policy"; readonly policy: Policy }
  | { readonly is: "invalid"; readonly detail: string };

const MAX_POLICY_CHARS = 1_000_000;

/** Reads a policy. Rejects everything that could make a rule look stricter than it is. */
export function readPolicy(text: string): PolicyReading {
  const invalid = (detail: string): PolicyReading => ({ is: "invalid", detail });
  if (text.length > MAX_POLICY_CHARS) return invalid(`it is longer than ${MAX_POLICY_CHARS} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid("it is not JSON");
  }
  const repeated = repeatedKey(text);
  if (repeated !== null) return invalid(`the key ${JSON.stringify(repeated).slice(0, 100)} is there twice`);
  const read = Policy.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return invalid(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown"}`);
  }
  const idle = findIdleRule(read.data);
  return idle === null ? { is: "policy", policy: read.data } : invalid(idle);
}

/** Finds a rule that requires nothing, although it seems to. */
function findIdleRule(policy: Policy): string | null {
  const { commits, gates, channels, passkeys, origins } = policy;
  for (const rule of ["people", "workflows", "channels", "origins"] as const)
    if (policy[rule]?.length === 0) return `${rule}: the list is empty; leave the rule out, or name at least one`;
  if (gates.length === 0) {
    if (channels !== undefined) return 'channels: no gate is required; add "gates"';
    if (passkeys) return 'passkeys: no gate is required; add "gates"';
    if (commits === "agents") return 'commits: "agents" without a required gate approves nothing; add "gates"';
  }
  return origins === undefined || passkeys ? null : 'origins: no passkey is required; add "passkeys"';
}

/** Finds a key that occurs twice in one object. `JSON.parse` takes the last value, but a reader may see the first. */
function repeatedKey(json: string): string | null {
  const objects: (Set<string> | null)[] = [];
  const tokens = json.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g) ?? [];
  for (const token of tokens) {
    if (token === "{") objects.push(new Set());
    else if (token === "[") objects.push(null);
    else if (token === "}" || token === "]") objects.pop();
    else if (token.endsWith(":")) {
      const key = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string; // a string token of valid JSON
      if (objects.at(-1)?.has(key) === true) return key;
      objects.at(-1)?.add(key);
    }
  }
  return null;
}
