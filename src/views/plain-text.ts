/* oxlint-disable no-control-regex -- these characters are what is looked for */
/**
 * Escape sequences of terminals in their 7-bit and 8-bit forms: strings up to their terminator (titles, links, clipboard),
 * then control sequences, then the short ones.
 */
const ESCAPES =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** Controls but for tab and newline, marks that reorder text, and characters without a shape that can hide text. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Text of agents and repositories as it may meet a terminal: what is seen is all there is. */
export function plainText(text: string): string {
  return text.replaceAll(ESCAPES, "").replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, "");
}

/** The same on one line, cut where a line would become too long to read. */
export function plainLine(text: string, most = 500): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}
