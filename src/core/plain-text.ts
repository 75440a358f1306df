/* oxlint-disable no-control-regex -- these characters are what is looked for */
/** Control characters except tab and newline. Each has its own Unicode picture, or is displayed by number. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/* oxlint-disable no-misleading-character-class -- each of these is meant by itself */
/** Every match of the other patterns starts with one of these. Most text has none, and this check is faster. */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud82f\ud834\udb40]/;

/**
 * Marks that reorder text, and invisible characters that can hide text or make two names look the same. Joiners stay
 * where emoji and scripts need them.
 */
const UNSEEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}])[\u200c\u200d]|(?<![\p{Extended_Pictographic}\p{Emoji}])[\ufe0e\ufe0f]/gu;

/**
 * Makes text of agents and repositories safe for a terminal, a page, a prompt or a file. Active and hidden characters
 * become visible marks; nothing is removed.
 */
export function plainText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replaceAll(/\r\n/g, "\n").replaceAll(CONTROLS, controlMark).replaceAll(UNSEEN, numberMark);
}

/** Makes text safe like `plainText` and puts it on one line, cut after `most` characters. */
export function plainLine(text: string, most = 500): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** Colours and weights of isdlc's own lines. */
const STYLES = /(\u001b\[[0-9;]*m)/;

/** Prepares a line for a terminal: only colours stay active, whatever the line contains. */
export const terminalText = (line: string): string =>
  line
    .split(STYLES)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");

/** Valid in JSON, but active or hidden in a terminal or an editor. */
const LOOSE_IN_JSON =
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** Returns JSON of a value, with all invisible characters escaped. */
export const jsonText = (value: unknown): string => visibleJson(JSON.stringify(value));

/** Escapes invisible characters in JSON text without changing its value. */
export const visibleJson = (json: string): string =>
  json.replaceAll(LOOSE_IN_JSON, (found) =>
    Array.from({ length: found.length }, (_, at) => found.charCodeAt(at).toString(16).padStart(4, "0"))
      .map((code) => `\\u${code}`)
      .join(""),
  );

const PICTURES = 0x2400;

/** Returns `␛` for the escape character of terminal codes, `␀` for NUL and so on. */
function controlMark(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(PICTURES + code) : numberMark(control);
}

const numberMark = (sign: string): string =>
  `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
