import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";

/** Replaces a line break in a one-line prompt. */
const LINE_BREAK = "↵";
/** Marks a request for the editor. A private-use character that users cannot type. */
const EDITOR = "\uE000";

const ESCAPE = "\u001B";
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;
const CTRL_G = "\u0007";
const ENTER = "\r";

/** Terminal codes that enable and disable bracketed paste. */
export const MARK_PASTES = `${ESCAPE}[?2004h`;
export const LEAVE_PASTES = `${ESCAPE}[?2004l`;

/** Returns a filter for the keys of a one-line prompt: pasted lines stay one answer, and Ctrl-G requests the editor. */
export function createPasteFilter(): (keys: string) => string {
  let isPasting = false;
  const ofPart = (part: string): string => {
    if (part === PASTE_BEGINS || part === PASTE_ENDS) {
      isPasting = part === PASTE_BEGINS;
      return "";
    }
    if (isPasting) return part.replaceAll(/\r\n?|\n/g, LINE_BREAK);
    // A terminal that does not mark pastes sends them at once. Typed input ends with Enter.
    return part.replaceAll(/\r\n?(?=[^\r\n])|\n(?=[^\r\n])/g, LINE_BREAK).replaceAll(CTRL_G, `${EDITOR}${ENTER}`);
  };
  return (keys) => keys.split(MARKS).map(ofPart).join("");
}

// oxlint-disable-next-line no-control-regex -- this is how a terminal marks what is pasted
const MARKS = /(\u001B\[20[01]~)/;

export type TypedText = { readonly text: string; readonly wantsEditor: boolean };

/** Restores the lines of a typed text. */
export const readTyped = (line: string): TypedText => ({
  text: line.replaceAll(EDITOR, "").replaceAll(LINE_BREAK, "\n"),
  wantsEditor: line.includes(EDITOR),
});

/** Converts a text for editing on one line. */
export const onOneLine = (text: string): string => text.replaceAll("\n", LINE_BREAK);

/** Filters the terminal's keys. `close` releases the terminal. */
export function openPasteInput(stdin: NodeJS.ReadStream): { input: Transform; close: () => void } {
  const filter = createPasteFilter();
  const decoder = new StringDecoder("utf8");
  const transform = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, filter(decoder.write(chunk))),
  });
  const setRawMode = (raw: boolean): void => void stdin.setRawMode(raw);
  const input = Object.assign(transform, { isTTY: true, setRawMode });
  stdin.pipe(input);
  return {
    input,
    close: () => {
      stdin.unpipe(input);
      stdin.pause();
      input.destroy();
    },
  };
}

/** Reads standard input as text; null if it is larger than the limit in bytes. */
export async function readInput(limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array); // no encoding is set for this stream
    size += bytes.length;
    if (size > limit) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
