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

/** An issue of a tracker, read from its URL. */
export type IssueLink = {
  readonly source: "github" | "gitlab" | "jira";
  /** Reference as used for items: `GH-42`, `GL-7`, `ABC-12`. */
  readonly id: string;
  readonly url: string;
};

const TRACKERS: readonly { source: IssueLink["source"]; prefix: string; path: RegExp }[] = [
  { source: "gitlab", prefix: "GL-", path: /^\/.+\/-\/(?:issues|work_items)\/([0-9]{1,18})\/?$/ },
  { source: "github", prefix: "GH-", path: /^\/[^/]+\/[^/]+\/issues\/([0-9]{1,18})\/?$/ },
  { source: "jira", prefix: "", path: /^\/(?:.+\/)?browse\/([A-Z][A-Z0-9]{0,19}-[0-9]{1,18})\/?$/ },
];

/**
 * Reads the URL of an issue and drops everything after `?` or `#`. Null for any other text, and for a URL with
 * credentials.
 */
export function readIssueLink(text: string): IssueLink | null {
  if (!/^https?:\/\/\S{1,500}$/.test(text) || !URL.canParse(text)) return null;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "") return null;
  for (const { source, prefix, path } of TRACKERS) {
    const number = path.exec(pathname)?.[1];
    if (number !== undefined)
      return { source, id: `${prefix}${number}`, url: `${origin}${pathname.replace(/\/$/, "")}` };
  }
  return null;
}
