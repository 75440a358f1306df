import type { Seal } from "../../ports/seal.ts";

/** The countermark of a record, by its hash; undefined where it has none. */
export type CountermarkOf = (hash: string) => string | undefined;

/** What a countermark is made for: no record has such a hash, so that neither mark can stand in for the other. */
const takenOver = (hash: string): string => `taken over ${hash}`;

/** Says by one's own key that a record which somebody else marked was taken over. */
export const countermark = (seal: Seal, hash: string): string => seal.mark(takenOver(hash));

/** Believes records with a mark of one's own, and those of others that were taken over. */
export const withCountermarks = (seal: Seal, countermarkOf: CountermarkOf): Seal => ({
  mark: (hash) => seal.mark(hash),
  fits(hash, mark, text) {
    if (seal.fits(hash, mark, text)) return true;
    const found = countermarkOf(hash);
    return found !== undefined && seal.fits(takenOver(hash), found, text);
  },
});
