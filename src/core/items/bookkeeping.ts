import { OWN, isOwnPath, ownPath } from "../own-folder.ts";

/** With the folders of items and features. */
const ITEM_FOLDERS = ["docs/requirements/", "docs/features/", ownPath(OWN.work, "")];
const BOOK = /^[^/]+\/(?:\.?meta\.json|\.review-history\.md)$/;
const isBook = (path: string): boolean =>
  ITEM_FOLDERS.some((folder) => path.startsWith(folder) && BOOK.test(path.slice(folder.length)));
/** Our own folder, less the documents of items in it. */
const isAside = (path: string): boolean => isOwnPath(path) && !path.startsWith(ownPath(OWN.work, ""));

/** What is written about an item on the side: nobody has to read that at a gate. */
export const isBookkeeping = (path: string): boolean => path === "BACKLOG.md" || isBook(path) || isAside(path);
