/** Tells records that were written by whoever may write from all others. A user's key is one way to do it. */
export interface Seal {
  /** The mark for a hash: 32 to 200 letters, digits, `-`, `_` or `.`. */
  mark(hash: string): string;
  /** Whether a mark was made for that hash. The text shows what was marked, where not everybody may say everything. */
  fits(hash: string, mark: string, text: string): boolean;
}
