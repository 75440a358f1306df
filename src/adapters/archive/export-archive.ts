import { createHash } from "node:crypto";
import { ProblemError } from "../../core/problem.ts";
import type { Head } from "../../ports/journal.ts";
import type { Seal } from "../../ports/seal.ts";
import { EXPORT_FILES, ExportManifest } from "../../schema/export.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { readJournalBytes } from "../journal-file/journal-heads.ts";
import { type ArchiveFile, packArchive, unpackArchive } from "./tar-archive.ts";

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
