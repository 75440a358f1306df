/** In the folders of items and features. */
const BOOKS = /^docs\/(?:requirements|features)\/[^/]+\/(?:\.?meta\.json|\.review-history\.md)$/;

/** What is written about an item on the side: nobody has to read that at a gate. */
export const isBookkeeping = (path: string): boolean => path === "BACKLOG.md" || BOOKS.test(path);
