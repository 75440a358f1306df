import { writeText } from "../invocation/io.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { NotifyChoice } from "../../../schema/user-settings.ts";
import type { DesktopCall } from "./desktop-call.ts";

/** The terminal window: its title, its bell and its desktop notifications. */
export type Window = {
  title(text: string): void;
  /** Notifies the user in another window that an answer is needed. */
  call(text: string): void;
  /** Restores the earlier title. */
  restore(): void;
};

/** For calls without a terminal. */
export const NO_WINDOW: Window = { title: () => undefined, call: () => undefined, restore: () => undefined };

const ESCAPE = "\u001B";
const BELL = "\u0007";
const KEEP_TITLE = `${ESCAPE}[22;2t`;
const RESTORE_TITLE = `${ESCAPE}[23;2t`;

/** Terminals that support titles and notifications, and ignore unknown ones. */
const isWindow = ({ TERM: term = "" }: NodeJS.ProcessEnv): boolean =>
  term !== "" && term !== "dumb" && term !== "linux";

/** `desktop` is null without desktop notifications, or if the terminal shows them itself. */
export type NotificationOptions = { readonly choice: NotifyChoice; readonly desktop: DesktopCall | null };

/**
 * Creates the window of a terminal. `write` receives unescaped terminal codes; without window support, only the bell.
 */
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

/** Replaces characters that end a code or start another one. */
const line = (text: string): string => plainLine(text, 200);

/** OSC 777 for terminals that support only this one; most others support OSC 9. Sending both would notify twice. */
function notification(env: NodeJS.ProcessEnv, text: string): string {
  const isOlder = env["VTE_VERSION"] !== undefined || /^(?:rxvt|foot)/.test(env["TERM"] ?? "");
  return isOlder ? `${ESCAPE}]777;notify;isdlc;${text}${BELL}` : `${ESCAPE}]9;${text}${BELL}`;
}
