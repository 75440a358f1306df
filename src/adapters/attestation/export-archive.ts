import { createHash } from "node:crypto";
import { ProblemError } from "../../core/problem.ts";
import type { Head, Seal } from "../../ports/journal.ts";
import { EXPORT_FILES, ExportManifest } from "../../schema/export.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { readJournalBytes } from "../journal/journal-heads.ts";
import type { Git } from "../git/process/git.ts";
import { readNotes, notesRefs } from "./git-notes.ts";
import { readEnvelope } from "./dsse.ts";
import { gunzipSync, gzipSync } from "node:zlib";
import { createTar, parseTar } from "nanotar";

/** Packs the files of a run, with a manifest of their digests. */
export function packExport(run: RunId, journal: Head, files: readonly ArchiveFile[]): Buffer {
  const manifest: ExportManifest = {
    format: "isdlc-export",
    version: 1,
    run,
    journal: { seq: journal.seq, hash: journal.hash },
    files: files.map(({ name, content }) => ({ name, sha256: sha256(content), bytes: content.length })),
  };
  const first = { name: EXPORT_FILES.manifest, content: Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`) };
  return packArchive([first, ...files]);
}

export type RunArchive = {
  readonly manifest: ExportManifest;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly events: readonly RunEvent[];
  readonly heads: readonly Head[];
};

/**
 * Reads an exported run. The journal's hash chain is checked without a key: it shows that nothing changed since the
 * last hash was recorded, in the manifest and in the attestations.
 * @throws ProblemError ARCHIVE_INVALID
 */
export function readExport(bytes: Buffer, file: string): RunArchive {
  const invalid = (detail: string): ProblemError => new ProblemError({ code: "ARCHIVE_INVALID", file, detail });
  const files = unpackArchive(bytes, file);
  const manifest = parseManifest(files.get(EXPORT_FILES.manifest));
  if (manifest === null) throw invalid("it is not the export of a run");
  const named = new Map(manifest.files.map((one) => [one.name, one.sha256]));
  for (const [name, content] of files)
    if (name !== EXPORT_FILES.manifest && named.get(name) !== sha256(content)) throw invalid(`${name} was changed`);
  const missing = [...named.keys()].find((name) => !files.has(name));
  if (missing !== undefined) throw invalid(`${missing.slice(0, 100)} is missing`);
  const { events, heads } = readJournalBytes(files.get(EXPORT_FILES.journal) ?? Buffer.alloc(0), {
    run: manifest.run,
    seal: ANY_SEAL,
  });
  const last = heads.at(-1);
  if (last?.seq !== manifest.journal.seq || last.hash !== manifest.journal.hash)
    throw invalid("its journal is not whole");
  return { manifest, files, events, heads };
}

/** Accepts all seals: only the user whose key made them can check them. */
const ANY_SEAL: Seal = { mark: () => "", fits: () => true };

function parseManifest(content: Buffer | undefined): ExportManifest | null {
  try {
    const read = ExportManifest.safeParse(JSON.parse(content?.toString("utf8") ?? ""));
    return read.success ? read.data : null;
  } catch {
    return null; // reported by the caller, which knows the file
  }
}

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** A larger patch is replaced with the git command that shows it. */
const MAX_DIFF = 4 * 1024 * 1024; // bytes

/** Returns the patch of a commit against its first parent. */
export async function readPatch(git: Git, commit: string): Promise<string> {
  const args = [
    "diff-tree",
    "--patch",
    "--root",
    "-m",
    "--first-parent",
    "--no-commit-id",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
  ];
  const answer = await git([...args, commit], { whenTooLong: "cut" });
  if (answer.stdout.length > MAX_DIFF) return `Too large to be put here (git show ${commit}).\n`;
  return answer.stdout.toString("utf8");
}

/** Returns the envelopes in the notes of these commits that belong to the run. */
export async function statementsAbout(
  git: Git,
  { commits, run }: { commits: readonly string[]; run: string },
): Promise<string[]> {
  const noted = await readNotes(git, { refs: await notesRefs(git), objects: new Set(commits) });
  return [...new Set([...noted.values()].flat())].filter((line) => {
    const reading = readEnvelope(line);
    return reading.is === "envelope" && reading.envelope.payload.includes(`"run":"${run}"`);
  });
}

type ArchiveFile = { readonly name: string; readonly content: Buffer };

/** Limits of an unpacked archive. No export of a run exceeds them. */
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;
const MAX_ARCHIVED_FILES = 10_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*){0,9}$/;

/** Packs files into one archive. The same files give the same bytes. */
export function packArchive(files: readonly ArchiveFile[]): Buffer {
  const items = files.map(({ name, content }) => ({ name, data: content, attrs: { mtime: 0, uid: 0, gid: 0 } }));
  return gzipSync(createTar(items), { level: 9 });
}

/**
 * Unpacks an archive in memory, without writing. Accepts only plain files with plain names.
 * @throws ProblemError ARCHIVE_INVALID
 */
export function unpackArchive(bytes: Buffer, file: string): ReadonlyMap<string, Buffer> {
  const invalid = (detail: string): ProblemError => new ProblemError({ code: "ARCHIVE_INVALID", file, detail });
  const entries = readEntries(bytes, invalid);
  if (entries.length > MAX_ARCHIVED_FILES) throw invalid(`it holds more than ${MAX_ARCHIVED_FILES} files`);
  const found = new Map<string, Buffer>();
  for (const { name, type, data } of entries) {
    if (type !== "file" || !NAME.test(name) || name.includes(".."))
      throw invalid("it holds something that is not a plain file");
    if (found.has(name)) throw invalid("it holds a file twice");
    found.set(name, Buffer.from(data ?? []));
  }
  return found;
}

function readEntries(bytes: Buffer, invalid: (detail: string) => ProblemError) {
  try {
    return parseTar(gunzipSync(bytes, { maxOutputLength: MAX_ARCHIVE_BYTES }));
  } catch {
    throw invalid(`it is not a compressed tar file, or unpacks to more than ${MAX_ARCHIVE_BYTES} bytes`);
  }
}
