import { isRecord } from "../../core/own-value.ts";
import { plainText } from "../../core/plain-text.ts";

/**
 * Makes characters visible that act, hide or reorder text written by agents, repositories and other users. Browsers
 * would render them as they are. Markup needs no escaping here: the web UI never interprets it.
 */
export const visibleView = <View>(view: View): View => visible(view) as View; // same form: only strings differ

function visible(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visible(one)]));
}
