import { join } from "node:path";
import { ITEMS_ROOT } from "../../ports/items.ts";
import { type FileSystem, folderExists } from "../file-system/file-system.ts";

export type ItemsLocation = { readonly root: string; readonly files: FileSystem };

/** @throws ProblemError UNSAFE_PATH if a folder of the path is a link: its target does not belong to the project */
export function itemsFolder({ root, files }: ItemsLocation): string {
  const names = ITEMS_ROOT.split("/");
  for (let depth = 1; depth <= names.length; depth++) folderExists(files, join(root, ...names.slice(0, depth)));
  return join(root, ...names);
}
