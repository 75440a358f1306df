import { OWN, isOwnPath, ownPath } from "../own-folder.ts";

/** Folders that contain one folder per item or feature. */
const ITEM_FOLDERS = ["docs/requirements/", "docs/features/", ownPath(OWN.work, "")];
const BOOK = /^[^/]+\/(?:\.?meta\.json|\.review-history\.md)$/;
const isBook = (path: string): boolean =>
  ITEM_FOLDERS.some((folder) => path.startsWith(folder) && BOOK.test(path.slice(folder.length)));
/** isdlc's own folder, without documents of items in it. */
const isAside = (path: string): boolean => isOwnPath(path) && !path.startsWith(ownPath(OWN.work, ""));

/** True for files with records about an item, which approvers need not read at a gate. */
export const isBookkeeping = (path: string): boolean => path === "BACKLOG.md" || isBook(path) || isAside(path);
