import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Head } from "../../ports/journal.ts";
import { RunId } from "../../schema/ids.ts";
import { nodeFiles, readSmall, removeIfThere, replaceFile, type FileCalls } from "../file-lock/file-calls.ts";

/** How far each journal had come when it was last acknowledged, kept where the repository cannot reach. */
export interface Anchors {
  read(run: RunId): Head | null;
  /** The run that was open when last heard of. */
  openRun(): RunId | null;
  /** A head without events takes the run out. Failing is not fatal: the anchor then lags behind. */
  write(run: RunId, head: Head, open: boolean): void;
}

const AnchorFile = z.object({
  path: z.string(),
  open: z.nullable(RunId),
  heads: z.record(RunId, z.string().check(z.regex(/^[1-9][0-9]{0,14}:[0-9a-f]{64}$/))),
});
type AnchorFile = z.infer<typeof AnchorFile>;

const KEPT_RUNS = 200;
const FILE_LIMIT = 1024 * 1024; // bytes

/** One small file for each working tree, named after its real path. */
export function createFileAnchors(directory: string, workingTree: string, files: FileCalls = nodeFiles): Anchors {
  const path = realpathSync(workingTree);
  const file = join(directory, `${createHash("sha256").update(path).digest("hex")}.json`);
  let prepared = false;
  let known: { stamp: string; content: AnchorFile } | null = null;

  const current = (): AnchorFile => {
    const stamp = stampOf(files, file);
    if (known?.stamp !== stamp) known = { stamp, content: readAnchors(files, file) ?? { path, open: null, heads: {} } };
    return known.content;
  };

  return {
    read: (run) => parseHead(current().heads[run]),
    openRun: () => current().open,
    write(run, head, open) {
      try {
        const content = withHead({ ...current(), path }, { run, head, open });
        if (!prepared) prepare(files, directory, file);
        prepared = true;
        replaceFile(files, file, Buffer.from(`${JSON.stringify(content)}\n`));
        known = { stamp: stampOf(files, file), content };
      } catch {
        known = null;
      }
    },
  };
}

/** Writers hold the working tree's lock, so another temporary file of this tree was left by one that was killed. */
function prepare(files: FileCalls, directory: string, file: string): void {
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of files.readdirSync(directory)) {
    const path = join(directory, name);
    if (path.startsWith(`${file}.`) && name.endsWith(".tmp")) removeIfThere(files, path);
  }
}

type Entry = { readonly run: RunId; readonly head: Head; readonly open: boolean };

function withHead(content: AnchorFile, { run, head, open }: Entry): AnchorFile {
  const others = Object.entries(content.heads).filter(([name]) => name !== run);
  const kept = others.sort(([a], [b]) => (a < b ? -1 : 1)).slice(-(KEPT_RUNS - 1));
  const own = head.seq > 0 ? [[run, `${head.seq}:${head.hash}`] as const] : [];
  const stillOpen = content.open === run ? null : content.open;
  return { path: content.path, open: open ? run : stillOpen, heads: Object.fromEntries([...kept, ...own]) };
}

function parseHead(text: string | undefined): Head | null {
  const [seq, hash] = text?.split(":") ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

/** Unreadable counts as none: an anchor is a second witness, and can only ever add doubt. */
function readAnchors(files: FileCalls, file: string): AnchorFile | null {
  try {
    const parsed = AnchorFile.safeParse(JSON.parse(readSmall(files, file, FILE_LIMIT)?.toString("utf8") ?? "null"));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function stampOf(files: FileCalls, file: string): string {
  const found = files.lstatSync(file, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
