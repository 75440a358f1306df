import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";

/** Stands for a line break on the one line that a question has. */
const LINE_BREAK = "↵";
/** Stands for the wish to go on in an editor; nobody can type it. */
const EDITOR = "\uE000";

const ESCAPE = "\u001B";
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;
const CTRL_G = "\u0007";
const ENTER = "\r";

/** Tells a terminal to mark what is pasted; and not to any more. */
export const MARK_PASTES = `${ESCAPE}[?2004h`;
export const LEAVE_PASTES = `${ESCAPE}[?2004l`;

/** Keys on their way to a question of one line: pasted lines stay one answer, and Ctrl-G asks for the editor. */
export function createPasteFilter(): (keys: string) => string {
  let isPasting = false;
  const ofPart = (part: string): string => {
    if (part === PASTE_BEGINS || part === PASTE_ENDS) {
      isPasting = part === PASTE_BEGINS;
      return "";
    }
    if (isPasting) return part.replaceAll(/\r\n?|\n/g, LINE_BREAK);
    // A terminal that marks no pastes sends them at once; whoever types presses Enter last.
    return part.replaceAll(/\r\n?(?=[^\r\n])|\n(?=[^\r\n])/g, LINE_BREAK).replaceAll(CTRL_G, `${EDITOR}${ENTER}`);
  };
  return (keys) => keys.split(MARKS).map(ofPart).join("");
}

// oxlint-disable-next-line no-control-regex -- this is how a terminal marks what is pasted
const MARKS = /(\u001B\[20[01]~)/;

export type TypedText = { readonly text: string; readonly wantsEditor: boolean };

/** What was typed, with its lines. */
export const readTyped = (line: string): TypedText => ({
  text: line.replaceAll(EDITOR, "").replaceAll(LINE_BREAK, "\n"),
  wantsEditor: line.includes(EDITOR),
});

/** A text as it is edited on one line. */
export const onOneLine = (text: string): string => text.replaceAll("\n", LINE_BREAK);

/** The terminal's own keys through the filter; `close` gives the terminal back. */
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
