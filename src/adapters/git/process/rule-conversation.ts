import { lstatSync, readFileSync, statSync } from "node:fs";
import type { Conversation } from "./git-conversation.ts";

/** Answers of git about paths, based on rules that git reads once and caches, such as `.gitignore`. */
export type RuleConversation = <T>(asking: RuleQuery<T>) => Promise<T>;

type RuleQuery<T> = {
  /** Every file with a rule that could affect the answer. */
  readonly files: readonly (string | Buffer)[];
  /** All other input of the answer, compared by identity. */
  readonly given: unknown;
  readonly ask: (conversation: Conversation) => Promise<T>;
};

type RuleReader = { readonly conversation: Conversation; readonly read: Map<string, string>; readonly given: unknown };

/**
 * Reuses a git process only while `given` is the same and every rule file has its content from when that process first
 * read it.
 */
export function createRuleConversation(begin: () => Conversation): RuleConversation {
  let open: RuleReader | null = null;
  const end = (): void => {
    open?.conversation.end();
    open = null;
  };
  async function answered<T>({ files, given, ask }: RuleQuery<T>): Promise<T> {
    const before = joinContents(files);
    if (open !== null && (open.given !== given || !isAsRead(open, before))) end();
    const reader = (open ??= { conversation: begin(), read: new Map(), given });
    for (const [file, content] of before ?? []) reader.read.set(file, content);
    const answer = await ask(reader.conversation);
    if (!isAsRead(reader, joinContents(files)) && open === reader) end();
    return answer;
  }
  let last: Promise<unknown> = Promise.resolve();
  return (asking) => {
    const answer = last.then(() => answered(asking)); // in sequence: no request ends a git that another one uses
    last = answer.catch(() => undefined);
    return answer;
  };
}

type Contents = ReadonlyMap<string, string> | null;

const isAsRead = ({ read }: RuleReader, contents: Contents): boolean =>
  contents !== null && [...contents].every(([file, content]) => (read.get(file) ?? content) === content);

const MAX_RULE_FILE_BYTES = 1024 * 1024;

/** Returns null if a file is not a regular file, is unreadable, or is too large to compare. */
function joinContents(files: readonly (string | Buffer)[]): Contents {
  const contents = new Map<string, string>();
  for (const file of files) {
    try {
      const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true; // git follows only some links
      const found = statSync(file, { throwIfNoEntry: false });
      if (found !== undefined && (!found.isFile() || found.size > MAX_RULE_FILE_BYTES)) return null;
      const content = found === undefined ? "none" : `:${readFileSync(file, "latin1")}`;
      contents.set(file.toString("latin1"), `${isLink}${content}`);
    } catch {
      return null; // a file instead of a folder, no permission
    }
  }
  return contents;
}
