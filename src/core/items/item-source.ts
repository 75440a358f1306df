import { toSlug } from "../plan.ts";

export type ItemSource = {
  readonly source: "github" | "jira" | "manual";
  readonly source_id: string | null;
  readonly description: string;
};

/** True for text that only refers to an item by number or reference: `16.2`, `#42`, `ABC-12`. */
export function isReference(text: string): boolean {
  return /^(?:[0-9]+\.[0-9]+|#[0-9]+)$/.test(text) || (!/\s/.test(text) && detectSource(text).source_id !== null);
}

/** In characters. */
export const MAX_TITLE_LENGTH = 10_000;

/** Converts a title to a folder name. */
export function generateSlug(text: unknown): string {
  return toSlug(typeof text === "string" ? text.slice(0, MAX_TITLE_LENGTH) : "");
}

/** Detects the source of a request: `#42` is a GitHub issue, `ABC-12` a Jira issue. Any other text was typed. */
export function detectSource(text: unknown): ItemSource {
  if (typeof text !== "string") return { source: "manual", source_id: null, description: "" };
  const description = text.trim();
  const issue = /^(?:#([0-9]{1,18})(?=\s|$)|GH-([0-9]{1,18})$)/.exec(description)?.slice(1).join("");
  if (issue !== undefined) return { source: "github", source_id: `GH-${issue}`, description };
  // Requires the whole text to match: a title may start with "UTF-8" or "SHA-256".
  const isTicket = /^[A-Z][A-Z0-9]{0,19}-[0-9]{1,18}$/.test(description);
  return isTicket
    ? { source: "jira", source_id: description, description }
    : { source: "manual", source_id: null, description };
}
