/** A plain JSON object: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

/** The value of an object's own key; undefined for everything else. Getters and inherited keys are not read, and nothing is thrown. */
export function ownValue(value: unknown, key: string): unknown {
  try {
    return isRecord(value) ? (Object.getOwnPropertyDescriptor(value, key)?.value as unknown) : undefined;
  } catch {
    return undefined; // a proxy may refuse
  }
}
