import { basename, join } from "node:path";
import { readKind, readSourceFolder } from "../adapters/project-files/source-folder.ts";
import { updateBacklogMarker } from "../adapters/project-files/backlog-file.ts";
import { readDocumentText, replaceDocument } from "../adapters/project-files/document-file.ts";
import { readHead } from "../adapters/git/read/git-head.ts";
import { type FolderTexts, detectFormats, mapFolder } from "../core/import/foreign-spec.ts";
import { deriveAnalysisStatus, deriveBacklogMarker } from "../core/items/analysis-status.ts";
import { OWN, OWN_FOLDER } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import { isSafeName } from "../schema/ids.ts";
import { itemsFolder } from "../adapters/project-files/items-folder.ts";
import { folderSlug, newItem } from "../app/start/name-work.ts";
import { ITEMS_ROOT } from "../ports/items.ts";
import type { LocalProject } from "./project.ts";
import { earlierPhases, earlierTitle } from "../core/items/earlier-state.ts";

/** An item to create, with the sources of its documents. */
type ImportedItem = {
  readonly title: string;
  readonly folder: string;
  readonly phases: readonly string[];
  readonly documents: readonly { readonly from: readonly string[]; readonly to: string; readonly text: string }[];
};

export type ImportedFolder = {
  readonly format: string;
  readonly items: readonly (Omit<ImportedItem, "documents"> & {
    readonly created: boolean;
    readonly mapped: readonly { readonly from: readonly string[]; readonly to: string }[];
  })[];
  readonly left: readonly string[];
  readonly warnings: readonly string[];
};

/** Imports work specified elsewhere as items of this project. Reads only the source folder. */
export async function importFolder(project: LocalProject, source: string): Promise<ImportedFolder> {
  const isEarlier = readKind(join(source, OWN_FOLDER, OWN.state)) === "file";
  const { format, wanted, left } = isEarlier ? earlierItems(source) : foreignItem(project, source);
  const done = [];
  const warnings: string[] = [];
  for (const item of wanted) {
    const written = await writeItem(project, item);
    warnings.push(...written.warnings);
    const mapped = item.documents.map(({ from, to }) => ({ from, to }));
    done.push({ title: item.title, folder: item.folder, phases: item.phases, created: written.created, mapped });
  }
  return { format, items: done, left, warnings };
}

type Source = { readonly format: string; readonly wanted: readonly ImportedItem[]; readonly left: readonly string[] };

function foreignItem(project: LocalProject, source: string): Source {
  const texts = readSourceFolder(source);
  const [format, ...others] = detectFormats(texts);
  if (format === undefined) throw unknown(source, "it has no spec.md, proposal.md or requirements.md of a known kind");
  if (others.length > 0) throw unknown(source, `it could be ${[format, ...others].join(" or ")}`);
  const { title, phases, documents, left } = mapFolder(format, texts, basename(source));
  return { format, wanted: [{ title, folder: folderSlug(project, title), phases, documents }], left };
}

/** Reads items of an earlier framework. They keep their folders and documents. */
function earlierItems(source: string): Source {
  const state = parsed(readDocumentText(join(source, OWN_FOLDER, OWN.state)));
  const root = join(source, ...ITEMS_ROOT.split("/"));
  if (readKind(root) !== "folder") throw unknown(source, `it has no ${ITEMS_ROOT}`);
  const texts = readSourceFolder(root);
  const folders = [...new Set([...texts.keys()].flatMap((path) => path.split("/").slice(0, -1).slice(0, 1)))];
  const wanted = folders.filter(isSafeName).map((folder) => earlierItem(folder, texts, state));
  if (wanted.length === 0) throw unknown(source, `no folder of ${ITEMS_ROOT} has documents`);
  return { format: "isdlc", wanted, left: folders.filter((folder) => !isSafeName(folder)) };
}

function earlierItem(folder: string, texts: FolderTexts, state: unknown): ImportedItem {
  const meta = parsed(texts.get(`${folder}/meta.json`) ?? null);
  const names = [...texts.keys()].filter((path) => path.startsWith(`${folder}/`) && path.split("/").length === 2);
  const documents = names
    .filter((path) => !path.endsWith("/meta.json"))
    .map((path) => ({ from: [path], to: path.slice(folder.length + 1), text: texts.get(path) ?? "" }));
  return { title: earlierTitle(folder, meta), folder, phases: earlierPhases(folder, meta, state), documents };
}

async function writeItem(project: LocalProject, { title, folder, phases, documents }: ImportedItem) {
  const { created, warnings } = await project.items.create(newItem(title, { folder }));
  if (!created) return { created, warnings: [`${ITEMS_ROOT}/${folder} already exists and stays as it is.`] };
  const dir = join(itemsFolder(project), folder);
  for (const { to, text } of documents) if (to !== "draft.md") replaceDocument(join(dir, to), text, null);
  const codebase_hash = readHead(project.root)?.hash ?? null;
  const analysis_status = deriveAnalysisStatus(phases);
  const unwritten = project.items.setFields(folder, { phases_completed: phases, analysis_status, codebase_hash });
  updateBacklogMarker(join(project.root, "BACKLOG.md"), folder, deriveBacklogMarker(analysis_status));
  return { created, warnings: [...warnings, ...(unwritten === null ? [] : [unwritten])] };
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // an item without a readable record starts at its first phase
  }
}

const unknown = (folder: string, detail: string): ProblemError =>
  new ProblemError({ code: "IMPORT_UNKNOWN", folder, detail });
