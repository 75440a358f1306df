import { writeText } from "./io.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { NotifyChoice } from "../../../schema/user-settings.ts";
import type { DesktopCall } from "./desktop-call.ts";

/** The window around a terminal: its title, its bell and the notifications of the desktop it is on. */
export type Window = {
  title(text: string): void;
  /** Tells a person who looks elsewhere that they are needed. */
  call(text: string): void;
  /** Gives the title back that was there before. */
  restore(): void;
};

/** Where nobody sits at a terminal. */
export const NO_WINDOW: Window = { title: () => undefined, call: () => undefined, restore: () => undefined };

const ESCAPE = "\u001B";
const BELL = "\u0007";
const KEEP_TITLE = `${ESCAPE}[22;2t`;
const RESTORE_TITLE = `${ESCAPE}[23;2t`;

/** Terminals that know titles and notifications, and skip those they do not know. */
const isWindow = ({ TERM: term = "" }: NodeJS.ProcessEnv): boolean =>
  term !== "" && term !== "dumb" && term !== "linux";

/** How a person is called; `desktop` is null where there is none, or the terminal tells it by itself. */
export type NotificationOptions = { readonly choice: NotifyChoice; readonly desktop: DesktopCall | null };

/** `write` gets codes for the terminal as they are; without a window it gets none but the bell. */
export function createWindow(
  env: NodeJS.ProcessEnv,
  { choice, desktop }: NotificationOptions,
  write: (codes: string) => void = (codes) => writeText(2, codes),
): Window {
  const hasWindow = isWindow(env);
  let isTitled = false;
  return {
    title(text) {
      if (!hasWindow) return;
      write(`${isTitled ? "" : KEEP_TITLE}${ESCAPE}]2;${line(text)}${BELL}`);
      isTitled = true;
    },
    call(text) {
      if (choice === "off") return;
      write(`${hasWindow && choice === "on" ? notification(env, line(text)) : ""}${BELL}`);
      if (choice === "on") desktop?.(line(text));
    },
    restore() {
      if (isTitled) write(RESTORE_TITLE);
      isTitled = false;
    },
  };
}

/** What ends a code, or begins another, becomes a visible mark. */
const line = (text: string): string => plainLine(text, 200);

/** OSC 777 for terminals that know only that; OSC 9 is known by most others. Both would tell it twice. */
function notification(env: NodeJS.ProcessEnv, text: string): string {
  const isOlder = env["VTE_VERSION"] !== undefined || /^(?:rxvt|foot)/.test(env["TERM"] ?? "");
  return isOlder ? `${ESCAPE}]777;notify;isdlc;${text}${BELL}` : `${ESCAPE}]9;${text}${BELL}`;
}
