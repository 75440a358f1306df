import { isUtf8 } from "node:buffer";
import { type Git, must } from "../process/git.ts";
import { isObjectId } from "../process/ref-name.ts";
import type { GitObjects } from "./git-objects.ts";
import { entryAt, readTreeId } from "./tree-entries.ts";

type TextRequest = { readonly tree: string; readonly paths: readonly string[] };

/** Larger files are omitted: nobody reads them for facts about a change. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const LINE_FEED = 0x0a;
const FILE_MODE = /^100/;

/** Reads files of a git tree through its objects. Filters of the repository do not run. */
export async function readObjectTexts(
  objects: GitObjects,
  { tree, paths }: TextRequest,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const root = isObjectId(tree) ? await readTreeId(objects, tree) : null;
  if (root === null) return texts;
  for (const path of paths) {
    const entry = await entryAt(objects, root, path);
    const content =
      entry !== undefined && FILE_MODE.test(entry.mode) ? (await objects.read(entry.id))?.content : undefined;
    if (content !== undefined && isText(content)) texts.set(path, content.toString("utf8"));
  }
  return texts;
}

const isText = (content: Buffer): boolean =>
  content.length <= MAX_TEXT_BYTES && !content.includes(0) && isUtf8(content);

/** Reads files of a git tree with two processes, for a repository without a conversation about its objects. */
export async function readTreeTexts(git: Git, { tree, paths }: TextRequest): Promise<ReadonlyMap<string, string>> {
  const names = paths.filter((path) => path !== "" && !/[\n\r\0]|^\/|(?:^|\/)\.\.?(?:\/|$)/.test(path));
  if (!isObjectId(tree) || names.length === 0) return new Map();
  const ask = (lines: readonly string[], option: string): Promise<Buffer> =>
    must(git(["cat-file", option], { input: Buffer.from(lines.map((line) => `${line}\n`).join("")) }), "cat-file");
  const sizes = (
    await ask(
      names.map((name) => `${tree}:${name}`),
      "--batch-check",
    )
  )
    .toString("utf8")
    .split("\n");
  const blobs = names.flatMap((name, at) => {
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(sizes[at] ?? "") ?? [];
    return id === undefined || Number(size) > MAX_TEXT_BYTES ? [] : [{ name, id }];
  });
  if (blobs.length === 0) return new Map();
  const contents = splitBatch(
    await ask(
      blobs.map(({ id }) => id),
      "--batch",
    ),
  );
  return new Map(
    blobs.flatMap(({ name }, at): [string, string][] => {
      const content = contents[at];
      return content === undefined || !isText(content) ? [] : [[name, content.toString("utf8")]];
    }),
  );
}

/** Splits the answers of `cat-file --batch`: one header line and the content for each existing object. */
function splitBatch(output: Buffer): Buffer[] {
  const contents: Buffer[] = [];
  for (let start = 0; start < output.length;) {
    const lineEnd = output.indexOf(LINE_FEED, start);
    const size = Number(/ (\d+)$/.exec(output.toString("utf8", start, lineEnd))?.[1] ?? Number.NaN);
    if (lineEnd === -1 || Number.isNaN(size)) break;
    contents.push(output.subarray(lineEnd + 1, lineEnd + 1 + size));
    start = lineEnd + 1 + size + 1;
  }
  return contents;
}
