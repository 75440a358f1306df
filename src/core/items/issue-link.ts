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
