import { generateSlug } from "../items/item-source.ts";
import { wordSlug } from "../plan.ts";

const SLUG_LENGTH = 30;
const ID_DIGITS = 3;

/** `001` */
export const featureId = (number: number): string => String(number).padStart(ID_DIGITS, "0");

/** A title as the second part of a feature's folder: as every slug, but at most 30 characters. */
export function featureSlug(title: unknown): string {
  return wordSlug(generateSlug(title), SLUG_LENGTH);
}

/** `012-login` is 12; what has no number counts as 0. */
export function featureNumber(folder: string): number {
  return Number(/^([0-9]{1,6})(?:-|$)/.exec(folder)?.[1] ?? 0);
}
