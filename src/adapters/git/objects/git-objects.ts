import { nodeCrypto } from "../../files/node-crypto.ts";
import type { Conversation } from "../process/git-conversation.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../process/ref-name.ts";

export type GitObject = { readonly type: string; readonly content: Buffer };

/** Objects of a repository by id. They never change: small ones are cached. */
export type GitObjects = {
  /** Returns null if the repository does not have the object. */
  read(id: string): Promise<GitObject | null>;
  /** Returns true if the object exists now. Unreferenced objects can be deleted at any time. */
  has(id: string): Promise<boolean>;
};

const REMEMBERED_BYTES = 16 * 1024 * 1024;
const SMALL_BYTES = 256 * 1024;

/**
 * Reads through one `git cat-file --batch`. Compares the content with the id, because git does not detect a file of an
 * object that was overwritten with something else.
 */
export function createGitObjects(catFile: Conversation): GitObjects {
  const known = new Map<string, GitObject>();
  let size = 0;
  const remember = (id: string, object: GitObject): void => {
    if (object.content.length > SMALL_BYTES) return;
    if (size > REMEMBERED_BYTES) {
      known.clear();
      size = 0;
    }
    known.set(id, object);
    size += object.content.length;
  };
  return {
    async read(id) {
      if (!isObjectId(id)) throw gitFailed("cat-file", `${JSON.stringify(id)} is not an object id`);
      const found = known.get(id) ?? (await readObject(catFile, id));
      if (found !== null) remember(id, found);
      return found;
    },
    has: async (id) => (await readObject(catFile, id)) !== null,
  };
}

async function readObject(catFile: Conversation, id: string): Promise<GitObject | null> {
  const object = await catFile.ask(Buffer.from(`${id}\n`), async (answers, isNew) => {
    const [, type = "", size = ""] = (await answers.line()).split(" ");
    const isMissing = !/^\d+$/.test(size);
    if (isMissing && !isNew) throw gitFailed("cat-file", `the object ${id} is missing`); // or only a new git sees it
    if (isMissing) return null;
    const content = await answers.bytes(Number(size) + 1);
    return { type, content: Buffer.from(content.subarray(0, -1)) };
  });
  if (object !== null && objectId(object, id.length) !== id)
    throw gitFailed("cat-file", `the object ${id} is damaged: other content is stored under that id`);
  return object;
}

const SHA1_LENGTH = 40;

export function objectId({ type, content }: GitObject, length: number): string {
  const hash = nodeCrypto().createHash(length === SHA1_LENGTH ? "sha1" : "sha256");
  return hash.update(`${type} ${content.length}\0`).update(content).digest("hex");
}
