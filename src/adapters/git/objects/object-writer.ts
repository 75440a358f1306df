import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../file-system/temporary-folder.ts";
import type { Conversation } from "../process/git-conversation.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../snapshot/ref-name.ts";

/** Stores objects and returns their ids. Does not check if referenced objects exist. */
export type ObjectWriter = {
  /** Stores the content of a file without filters. */
  fileAsBlob(file: string): Promise<string>;
  commit(content: string): Promise<string>;
};

export type HashingGit = { readonly blobs: Conversation; readonly commits: Conversation };

/** Creates a writer that uses `git hash-object -w --stdin-paths`, with one process per type of object. */
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
