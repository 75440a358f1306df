import { emitKeypressEvents } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cutToScreens } from "../../../views/tests-in-full.ts";
import { fitLine } from "../../../views/wrap-lines.ts";
import type { Io } from "../invocation/io.ts";

type YesOrNo = {
  readonly question: string;
  readonly about?: readonly string[];
  /** The answer for Enter. Yes only if it is harmless. */
  readonly enter: "y" | "n";
};

/** Asks a yes-or-no question at the terminal. Esc and q count as no, and so does a missing terminal. */
export const ask = (io: Io, { question, about = [], enter }: YesOrNo): Promise<boolean> =>
  askYesOrNo(io, { question, about: about.map((line) => fitLine(line, io.columns)), enter });

async function askYesOrNo(io: Io, { question, about = [], enter }: YesOrNo): Promise<boolean> {
  if (!io.interactive) return false;
  for (const line of about) io.out(line);
  await forgetTypedAhead();
  const prompt = `${question} ${enter === "y" ? "[Y/n]" : "[y/N]"} `;
  return (await askKey(io, { prompt, keys: ["y", "n"], enter, signal: new AbortController().signal })) === "y";
}

/** Asks to trust the displayed text, cut to two screens. Enter counts as no. */
export const askTrust = (io: Io, question: string, about: readonly string[]): Promise<boolean> =>
  askYesOrNo(io, { question, about: cutToScreens(about, io), enter: "n" });

/** Asks for one key after some explanatory lines; null without a terminal, or if the user leaves it. */
export async function askAbout<K extends string>(
  io: Io,
  about: readonly string[],
  { keys, enter }: Pick<KeyQuestion<K>, "keys" | "enter">,
): Promise<K | null> {
  if (!io.interactive) return null;
  for (const line of about) io.out(fitLine(line, io.columns));
  await forgetTypedAhead();
  return askKey(io, { keys, enter, signal: new AbortController().signal });
}

export type KeyQuestion<K extends string> = {
  /** Replaces "Your choice" with the list of keys. */
  readonly prompt?: string;
  readonly keys: readonly K[];
  /** The answer for Enter; without one, Enter is an unknown key. */
  readonly enter?: K | undefined;
  /** The key that Esc stands for; without one, Esc returns null. */
  readonly leave?: K;
  readonly signal: AbortSignal;
};

type Keypress = { readonly name?: string; readonly ctrl: boolean };

const ENTER: ReadonlySet<string> = new Set(["return", "enter"]);
const choicePrompt = (valid: string, enter: string | undefined): string =>
  `Your choice (${valid}${enter === undefined ? "" : `, Enter for ${enter.toUpperCase()}`}): `;

/**
 * Asks for one key; another key repeats the question. Null if the user leaves with Esc, q or Ctrl-C, or if the signal
 * aborts.
 */
export function askKey<K extends string>(io: Io, asked: KeyQuestion<K>): Promise<K | null> {
  const { keys, enter, leave: onEscape, signal } = asked;
  const { stdin, stdout } = process;
  const valid = keys.map((key) => key.toUpperCase()).join(" ");
  const prompt = (): void => void stdout.write(asked.prompt ?? choicePrompt(valid, enter));
  const meant = (name: string): K | undefined =>
    ENTER.has(name) ? enter : name === "escape" ? onEscape : keys.find((key) => key === name);
  return new Promise((resolve) => {
    const leave = (): void => finish(null);
    const pressed = (_text: string | undefined, { name = "", ctrl }: Keypress): void => {
      if (ctrl && (name === "c" || name === "d")) return finish(null);
      const key = ctrl ? undefined : meant(name);
      if (key !== undefined) return finish(key);
      if (!ctrl && (name === "escape" || name === "q")) return finish(null);
      io.out(`\nUnknown key. Press one of ${valid}.`);
      prompt();
    };
    const finish = (key: K | null): void => {
      stdin.off("keypress", pressed).off("end", leave);
      signal.removeEventListener("abort", leave);
      useRawMode(false);
      io.out(key?.toUpperCase() ?? "");
      resolve(key);
    };
    if (signal.aborted) return resolve(null);
    emitKeypressEvents(stdin);
    stdin.on("keypress", pressed).on("end", leave);
    signal.addEventListener("abort", leave);
    prompt();
    useRawMode(true);
  });
}

/** Discards keys typed before the question was on the screen: they are no answer to it. */
export async function forgetTypedAhead(): Promise<void> {
  const forget = (): void => undefined;
  process.stdin.on("data", forget);
  useRawMode(true);
  await nextTurn(); // pending input is read in the following turn
  await nextTurn();
  useRawMode(false);
  process.stdin.off("data", forget);
}

function useRawMode(raw: boolean): void {
  const { stdin } = process;
  if (raw) stdin.resume();
  try {
    stdin.setRawMode(raw);
  } catch {
    // the terminal is closed; the signal sent with that ends the question
  }
  if (!raw) stdin.pause();
}
