import { join } from "node:path";
import { nodeFiles, readSmall } from "../../files/file-system.ts";
import { isBranchName } from "../process/ref-name.ts";
import { type GitFolders, gitFolders, readPointer } from "../process/working-trees.ts";

export type GitHead = {
  /** Full id of the commit that is checked out. */
  readonly hash: string;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
};

const PACKED_REFS_BYTES = 32 * 1024 * 1024;

/**
 * Reads commit and branch of a working tree from its git folder, without starting git. Returns null for everything
 * that only git should interpret: no repository, no commit yet, hashes other than SHA-1, ref storage other than files,
 * links.
 */
export function readHead(root: string): GitHead | null {
  try {
    const folders = gitFolders(root);
    const head = folders && readPointer(join(folders.own, "HEAD"));
    if (!folders || !head) return null;
    if (isHash(head)) return { hash: head, branch: null };
    const branch = head.startsWith("ref: refs/heads/") ? head.slice("ref: refs/heads/".length) : "";
    if (!isBranchName(branch)) return null; // a reftable has `.invalid` here
    const hash = tipIn(folders, branch);
    return hash === null ? null : { hash, branch };
  } catch {
    return null; // a link, a pipe, no permission
  }
}

function tipIn({ common }: GitFolders, branch: string): string | null {
  const hash = pointedTo(common, `refs/heads/${branch}`);
  return hash !== null && isHash(hash) ? hash : null;
}

const pointedTo = (common: string, ref: string): string | null =>
  readPointer(join(common, ...ref.split("/"))) ?? packed(common, ref);

/** Reads a ref shared by all working trees in the same way. Returns undefined if only git can read it. */
export function readRef(root: string, ref: string): string | null | undefined {
  if (readHead(root) === null) return undefined; // the refs may be stored elsewhere
  if (ref.split("/").some((part) => part === "" || part.startsWith("."))) return undefined;
  try {
    const folders = gitFolders(root);
    const hash = folders && pointedTo(folders.common, ref);
    return hash === null || isHash(hash) ? hash : undefined;
  } catch {
    return undefined;
  }
}

const isHash = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** Reads a packed ref; the file has `<hash> <name>` per line. */
function packed(common: string, ref: string): string | null {
  const file = join(common, "packed-refs");
  const bytes = readSmall(nodeFiles, file, PACKED_REFS_BYTES);
  if (bytes === null && nodeFiles.lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new Error(`${file} is too large to be read in one go`);
  const at = bytes?.indexOf(` ${ref}\n`) ?? -1;
  if (bytes === null || at < 40 || (at > 40 && bytes[at - 41] !== 0x0a)) return null;
  return bytes.toString("latin1", at - 40, at);
}
