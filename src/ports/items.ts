/** The records of items, apart from what a run under way writes into them. */
export interface Items {
  /** When the item was recorded as built; null when it is not. */
  builtAt(item: string): string | null;
  /** Takes back that the item was built then, in its record and in the backlog. */
  unmarkBuilt(item: string, at: string): Promise<void>;
  /** The same in a copy of the documents, for the commit that carries it. */
  unmarkBuiltIn(folder: string, item: string, at: string): void;
}
