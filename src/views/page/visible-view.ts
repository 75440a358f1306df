import { isRecord } from "../../core/own-value.ts";
import { plainText } from "../../core/plain-text.ts";

/**
 * What the page is told, with everything visible that would act, hide or reorder in text of agents, repositories and
 * other people. A browser shows such characters as they are, and markup it never sees as such anyway.
 */
export const visibleView = <View>(view: View): View => visible(view) as View; // of the same form: only text differs

function visible(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visible(one)]));
}
