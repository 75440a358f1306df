import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../file-system/temporary-folder.ts";
import type { Conversation } from "../process/git-conversation.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../snapshot/ref-name.ts";

/** Stores objects and gives their ids. What they refer to is not looked for. */
export type ObjectWriter = {
  /** The content of a file as it is: no filter sees it. */
  fileAsBlob(file: string): Promise<string>;
  commit(content: string): Promise<string>;
};

export type HashingGit = { readonly blobs: Conversation; readonly commits: Conversation };

/** Through `git hash-object -w --stdin-paths`, one for each type of object. */
export function createObjectWriter({ blobs, commits }: HashingGit): ObjectWriter {
  return {
    fileAsBlob: (file) => store(blobs, file),
    commit: (content) =>
      inTemporaryFolder(async (folder) => {
        const file = join(folder, "commit");
        await writeFile(file, content);
        return store(commits, file);
      }),
  };
}

async function store(hashObject: Conversation, file: string): Promise<string> {
  if (file.includes("\n")) throw gitFailed("hash-object", `${JSON.stringify(file)} has a line break in its name`);
  return hashObject.ask(Buffer.from(`${file}\n`), async (answers) => {
    const id = await answers.line();
    if (!isObjectId(id)) throw gitFailed("hash-object", `it was answered with ${JSON.stringify(id)}`);
    return id;
  });
}
