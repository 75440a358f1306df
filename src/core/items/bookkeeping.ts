/** In the folders of items and features. */
const BOOKS = /^(?:docs\/(?:requirements|features)|\.isdlc\/work)\/[^/]+\/(?:\.?meta\.json|\.review-history\.md)$/;
/** Our own folder, less the documents of items in it. */
const OWN = /^\.isdlc\/(?!work\/)/;

/** What is written about an item on the side: nobody has to read that at a gate. */
export const isBookkeeping = (path: string): boolean => path === "BACKLOG.md" || BOOKS.test(path) || OWN.test(path);
