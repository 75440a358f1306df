import { generateSlug } from "../items/item-source.ts";

const SLUG_LENGTH = 30;
const ID_DIGITS = 3;

/** The number of the next feature: the highest among the folders, plus one, as `001`. */
export function nextFeatureId(folders: readonly string[]): string {
  const highest = Math.max(0, ...folders.map(featureNumber));
  return String(highest + 1).padStart(ID_DIGITS, "0");
}

/** A title as the second part of a feature's folder: as every slug, but at most 30 characters. */
export function featureSlug(title: unknown): string {
  return generateSlug(title).slice(0, SLUG_LENGTH).replace(/-$/, "");
}

/** `004-login-page`: the folder of a new feature beside those that exist. */
export function featureFolder(folders: readonly string[], title: unknown): string {
  return `${nextFeatureId(folders)}-${featureSlug(title)}`;
}

/** `012-login` is 12; what has no number counts as 0. */
function featureNumber(folder: string): number {
  return Number(/^([0-9]{1,6})(?:-|$)/.exec(folder)?.[1] ?? 0);
}
