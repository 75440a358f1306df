import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Git, must } from "../process/git.ts";
import { decodePath, inTree, joinFields, splitFields } from "../process/git-path.ts";

/** Maximum length of a pointer file for git-lfs, in bytes. */
const MAX_POINTER_BYTES = 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n$/;

/**
 * Returns the paths that git-lfs stores and whose content is the committed one. Git itself would need the filter of
 * git-lfs, which is a program named by the repository's settings.
 */
export async function unchangedLfsFiles(git: Git, top: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const unchanged = new Set<string>();
  for (const path of await lfsFiles(git, paths)) if (await isAsCommitted(git, top, path)) unchanged.add(path);
  return unchanged;
}

async function lfsFiles(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const input = joinFields(paths);
  const answer = await must(git(["check-attr", "-z", "--stdin", "filter"], { input }), "check-attr");
  const fields = splitFields(answer).map(decodePath);
  return paths.filter((path, at) => fields[3 * at] === path && fields[3 * at + 2] === "lfs");
}

async function isAsCommitted(git: Git, top: string, path: string): Promise<boolean> {
  const [staged, committed] = await Promise.all([
    git(["--literal-pathspecs", "ls-files", "-s", "-z", "--", path]),
    git(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--", path]),
  ]);
  const [, mode, id] = /^(100644|100755) ([0-9a-f]+) 0\t/.exec(staged.stdout.toString("latin1")) ?? [];
  const isStaged = !committed.stdout.toString("latin1").startsWith(`${mode} blob ${id}\t`);
  if (id === undefined || isStaged) return false;
  const size = Number((await git(["cat-file", "-s", id])).stdout.toString("latin1"));
  if (!(size <= MAX_POINTER_BYTES)) return false;
  const pointer = POINTER.exec((await git(["cat-file", "blob", id])).stdout.toString("latin1"));
  return (
    pointer !== null && (await isContent(inTree(top, path), { digest: pointer[1], size: Number(pointer[2]), mode }))
  );
}

type Content = { readonly digest: string | undefined; readonly size: number; readonly mode: string | undefined };

async function isContent(file: Buffer, { digest, size, mode }: Content): Promise<boolean> {
  const facts = await lstat(file).catch(() => null);
  if (facts === null || !facts.isFile() || facts.size !== size) return false;
  if (((facts.mode & 0o100) !== 0) !== (mode === "100755")) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex") === digest;
}
