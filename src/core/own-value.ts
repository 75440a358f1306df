/** True for a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

/** Returns the value of an object's own key, else undefined. Reads no getters or inherited keys, and never throws. */
export function ownValue(value: unknown, key: string): unknown {
  try {
    return isRecord(value) ? (Object.getOwnPropertyDescriptor(value, key)?.value as unknown) : undefined;
  } catch {
    return undefined; // a proxy may throw
  }
}
