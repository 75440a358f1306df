import { useEffect, useRef } from "react";
import type { DiffFile } from "../../../src/schema/api-diff.ts";
import type { GateView } from "../../../src/schema/api.ts";
import { CheckIcon, CommentIcon, FileIcon } from "../parts/icons.tsx";
import { useIsCurrentFile } from "./current-file.ts";
import { isSameFile, useReview } from "./review-context.ts";

type OutlineProps = {
  readonly gate: GateView;
  readonly files: readonly DiffFile[];
  readonly isViewed: (file: DiffFile) => boolean;
  readonly onGo: (path: string) => void;
};

/** Lists all files to read, with viewed marks and the number of notes. */
export function Outline({ gate, files, isViewed, onGo }: OutlineProps) {
  const read = files.filter(({ isBookkeeping }) => !isBookkeeping);
  const done = read.filter(isViewed).length;
  return (
    <nav className="outline" aria-label="Files and documents">
      {gate.documents.length === 0 ? null : (
        <>
          <h2 className="outline-title">Documents</h2>
          <ul>
            {gate.documents.map(({ path }) => (
              <li key={path}>
                <button type="button" className="outline-link" onClick={() => showDocument(path)} title={path}>
                  <FileIcon />
                  <span className="outline-name">{fileName(path)}</span>
                  <Said path={path} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {files.length === 0 ? null : (
        <>
          <h2 className="outline-title">
            Files{" "}
            <span className="subtle">
              {done} of {read.length} viewed
            </span>
          </h2>
          {groupByFolder(files).map(({ folder, own }) => (
            <div key={own[0]?.path} className="folder">
              <div className="folder-name">{folder}</div>
              <ul>
                {own.map((file) => (
                  <li key={file.path}>
                    <FileLink file={file} isViewed={isViewed(file)} onGo={onGo} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </>
      )}
    </nav>
  );
}

type LinkProps = Pick<OutlineProps, "onGo"> & { readonly file: DiffFile; readonly isViewed: boolean };

function FileLink({ file, isViewed, onGo }: LinkProps) {
  const isCurrent = useIsCurrentFile(file.path);
  const link = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCurrent && link.current !== null) scrollWithin(link.current);
  }, [isCurrent]);
  return (
    <button
      type="button"
      ref={link}
      className="outline-link"
      aria-current={isCurrent ? "location" : undefined}
      onClick={() => onGo(file.path)}
      title={file.path}
    >
      {isViewed ? <CheckIcon /> : <span className={`dot dot-${file.change}`} />}
      <span className="outline-name">{fileName(file.path)}</span>
      {isViewed ? <span className="visually-hidden">viewed</span> : null}
      <Said path={file.path} />
    </button>
  );
}

/** Scrolls the outline, never the page. */
function scrollWithin(link: HTMLElement): void {
  const frame = link.closest<HTMLElement>(".outline");
  if (frame === null) return;
  const [own, all] = [link.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (own.top < all.top) frame.scrollTop -= all.top - own.top;
  if (own.bottom > all.bottom) frame.scrollTop += own.bottom - all.bottom;
}

/** Displays the number of notes on a file: open findings and the user's comments. */
function Said({ path }: { readonly path: string }) {
  const { drafting, findings } = useReview();
  const comments = drafting.comments.filter(({ place }) => place?.path === path).length;
  const open = findings.filter(
    ({ file, state }) => state !== "resolved" && file !== null && isSameFile(file, path),
  ).length;
  if (comments + open === 0) return null;
  return (
    <span className={`said ${open > 0 ? "said-finding" : ""}`} aria-label={`${open} findings, ${comments} comments`}>
      <CommentIcon size={12} /> {comments + open}
    </span>
  );
}

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const ROOT = "(root)";
const OWN = "Written by isdlc";

type OutlineFolder = { readonly folder: string; readonly own: readonly DiffFile[] };

/** Starts a new entry whenever the folder changes: the outline has the order of the diff. */
function groupByFolder(files: readonly DiffFile[]): OutlineFolder[] {
  const folders: { readonly folder: string; readonly own: DiffFile[] }[] = [];
  for (const file of files) {
    const folder = file.isBookkeeping ? OWN : file.path.slice(0, Math.max(0, file.path.lastIndexOf("/"))) || ROOT;
    const last = folders.at(-1);
    if (last?.folder === folder) last.own.push(file);
    else folders.push({ folder, own: [file] });
  }
  return folders;
}

function showDocument(path: string): void {
  const found = document.querySelector<HTMLElement>(`[data-document="${CSS.escape(path)}"]`);
  found?.scrollIntoView({ block: "start" });
  found?.querySelector<HTMLElement>("h3")?.focus({ preventScroll: true });
}
