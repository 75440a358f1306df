import { createContext, useContext } from "react";
import type { FileSide } from "../../../src/schema/api-documents.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";

/** Run whose files are displayed. */
export const RunContext = createContext<string | null>(null);

type LinkProps = { readonly path: string; readonly side?: FileSide };

const LABELS: { readonly [S in FileSide]: string } = {
  new: "Save the whole file",
  old: "Save it as it was before",
};

/** Saves all bytes of a file of which the page shows only a part. */
export function WholeFileLink({ path, side = "new" }: LinkProps) {
  const run = useContext(RunContext);
  if (run === null) return null;
  return (
    <button type="button" className="place-link" onClick={() => void save(run, { path, side })}>
      {LABELS[side]}
    </button>
  );
}

async function save(run: string, { path, side = "new" }: LinkProps): Promise<void> {
  const file = await api.wholeFile(run, path, side).catch(() => null);
  if (file === null) return announce(`Could not read ${path}.`, "bad");
  if (file.base64 === null) return announce(`${path} has ${file.bytes} bytes: open it in the working tree.`, "bad");
  const bytes = Uint8Array.from(atob(file.base64), (character) => character.codePointAt(0) ?? 0);
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = path.slice(path.lastIndexOf("/") + 1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Time for the browser to read the file before it is released. */
const KEPT_MS = 60_000;
