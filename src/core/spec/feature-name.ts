import { generateSlug } from "../items/item-source.ts";
import { wordSlug } from "../plan.ts";

const SLUG_LENGTH = 30;
const ID_DIGITS = 3;

/** Formats a feature's id: `001`. */
export const featureId = (number: number): string => String(number).padStart(ID_DIGITS, "0");

/** Converts a title to the second part of a feature's folder name: a slug of at most 30 characters. */
export function featureSlug(title: unknown): string {
  return wordSlug(generateSlug(title), SLUG_LENGTH);
}

/** Returns 12 for `012-login`, and 0 for a folder without a number. */
export function featureNumber(folder: string): number {
  return Number(/^([0-9]{1,6})(?:-|$)/.exec(folder)?.[1] ?? 0);
}
