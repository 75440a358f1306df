import { lstatSync, readFileSync, statSync } from "node:fs";
import type { Conversation } from "./git-conversation.ts";

/** What git answers for paths by rules that it reads once and keeps, such as those of `.gitignore`. */
export type RuleConversation = <T>(asking: RuleQuery<T>) => Promise<T>;

type RuleQuery<T> = {
  /** Every file with a rule that could matter to the answer. */
  readonly files: readonly (string | Buffer)[];
  /** Whatever else the answer depends on. */
  readonly given: unknown;
  readonly ask: (conversation: Conversation) => Promise<T>;
};

type RuleReader = { readonly conversation: Conversation; readonly read: Map<string, string>; readonly given: unknown };

/** Goes on with the same git only while every file of rules has the content that it had when that git first read it. */
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
    const answer = last.then(() => answered(asking)); // nobody ends a git that another one waits for
    last = answer.catch(() => undefined);
    return answer;
  };
}

type Contents = ReadonlyMap<string, string> | null;

const isAsRead = ({ read }: RuleReader, contents: Contents): boolean =>
  contents !== null && [...contents].every(([file, content]) => (read.get(file) ?? content) === content);

const MAX_RULE_FILE_BYTES = 1024 * 1024;

/** Null where one of them is no plain file, or too large to be compared. */
function joinContents(files: readonly (string | Buffer)[]): Contents {
  const contents = new Map<string, string>();
  for (const file of files) {
    try {
      const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true; // not all are followed
      const found = statSync(file, { throwIfNoEntry: false });
      if (found !== undefined && (!found.isFile() || found.size > MAX_RULE_FILE_BYTES)) return null;
      const content = found === undefined ? "none" : `:${readFileSync(file, "latin1")}`;
      contents.set(file.toString("latin1"), `${isLink}${content}`);
    } catch {
      return null; // a file in the place of a folder, no permission
    }
  }
  return contents;
}
