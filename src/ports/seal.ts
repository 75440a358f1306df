/** Authenticates journal records of allowed writers. A user's key is one implementation. */
export interface Seal {
  /** Returns the seal of a hash: 32 to 200 letters, digits, `-`, `_` or `.`. */
  mark(hash: string): string;
  /**
   * Returns true if the mark seals this hash. `text` is the sealed content, for seals that restrict which content a
   * key may sign.
   */
  fits(hash: string, mark: string, text: string): boolean;
}
