/** Services nest errors in errors. */
const MAX_CAUSE_DEPTH = 6;

/** Replaces JSON in an error text by the message it contains. Other text stays unchanged. */
export function errorSentence(text: string): string {
  const [start, end] = [text.search(/[[{]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1];
  if (start === -1 || end <= start) return text;
  const message = messageIn(parsed(text.slice(start, end)), MAX_CAUSE_DEPTH);
  if (message === null) return text;
  const [before, after] = [text.slice(0, start).trim(), text.slice(end).trim()];
  const lead = before === "" || before.endsWith(message) ? "" : `${before.replace(/:$/, "")}: `;
  return `${lead}${message}${after === "" ? "" : ` ${after}`}`;
}

function messageIn(value: unknown, depth: number): string | null {
  if (depth === 0) return null;
  if (typeof value === "string")
    return messageIn(parsed(value), depth - 1) ?? (value.trim() === "" ? null : value.trim());
  if (typeof value !== "object" || value === null) return null;
  const inner = Array.isArray(value) ? value : ["error", "message", "detail"].map((key) => ownValue(value, key));
  return inner.map((one: unknown) => messageIn(one, depth - 1)).find((message) => message !== null) ?? null;
}

const ownValue = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
