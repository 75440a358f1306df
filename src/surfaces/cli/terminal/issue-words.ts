import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../../../adapters/process/find-program.ts";
import { ownValue } from "../../../core/own-value.ts";
import { ProblemError } from "../../../core/problem.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { Invocation } from "../invocation/verb.ts";
import { askText } from "./ask-text.ts";
import { type IssueLink, readIssueLink } from "../../../core/items/item-source.ts";

export type IssueWords = { readonly words: string; readonly issue: IssueLink | null };

/**
 * Returns the description of the work if the user gave the address of an issue: the words after it, otherwise the
 * issue's title from the tracker's command-line tool, otherwise the user's reply.
 * @throws ProblemError USAGE without a terminal or reply.
 */
export async function issueWords(invocation: Invocation, words: readonly string[]): Promise<IssueWords> {
  const [first = "", ...others] = words;
  const issue = readIssueLink(first);
  if (issue === null) return { words: words.join(" ").trim(), issue };
  const given = others.join(" ").trim();
  const title =
    given === "" ? ((await fetchedTitle(invocation, issue)) ?? (await askedTitle(invocation, issue))) : given;
  return { words: plainLine(title, 200), issue };
}

async function askedTitle(invocation: Invocation, { id, url }: IssueLink): Promise<string> {
  const message = `What is ${id} about? (its title could not be read)`;
  const { signal } = new AbortController();
  const title = invocation.io.interactive ? await askText(invocation, { message, signal, placeholder: "" }) : null;
  if (title !== null && title.trim() !== "") return title;
  const detail = `The title of ${url} could not be read.`;
  throw new ProblemError({ code: "USAGE", detail, usage: `isdlc ${invocation.verb.name} ${url} "<title>"` });
}

const ISSUE_TIMEOUT_MS = 15_000;

const COMMANDS: Readonly<Partial<Record<IssueLink["source"], (url: string) => readonly string[]>>> = {
  github: (url) => ["gh", "issue", "view", url, "--json", "title"],
  gitlab: (url) => ["glab", "issue", "view", url, "--output", "json"],
};

/** Reads the title with the user's own tool and login; null if the tool is missing or fails. */
async function fetchedTitle({ env, cwd }: Invocation, { source, url }: IssueLink): Promise<string | null> {
  const [name = "", ...args] = COMMANDS[source]?.(url) ?? [];
  const program = findProgram(name, env);
  if (name === "" || !program.ok) return null;
  try {
    const { stdout } = await promisify(execFile)(program.path, args, { env, cwd, timeout: ISSUE_TIMEOUT_MS });
    const title = ownValue(JSON.parse(stdout), "title");
    return typeof title === "string" && title.trim() !== "" ? title : null;
  } catch {
    return null; // not logged in, no network, or an unknown format: the user is asked
  }
}
