import { emitKeypressEvents } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cutToScreens } from "../../../views/tests-in-full.ts";
import type { Io } from "./io.ts";

/** A yes or no from the person at the terminal; Enter alone is a no. Without a terminal nobody is asked, and it is no. */
export async function ask(io: Io, question: string, about: readonly string[]): Promise<boolean> {
  if (!io.interactive) return false;
  const { confirm, isCancel } = await import("@clack/prompts");
  for (const line of about) io.out(line);
  const answer = await confirm({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}

/** Whether to trust what is shown, all of it as far as two screens go. */
export const askTrust = (io: Io, message: string, about: readonly string[]): Promise<boolean> =>
  ask(io, message, cutToScreens(about, io));

/** One key after some lines that explain it; null where nobody can be asked, or the person breaks off. */
export async function askAbout<K extends string>(
  io: Io,
  about: readonly string[],
  keys: readonly K[],
): Promise<K | null> {
  if (!io.interactive) return null;
  for (const line of about) io.out(line);
  return askKey(io, { message: "Your choice", keys: [...keys], signal: new AbortController().signal });
}

export type KeyQuestion<K extends string> = {
  readonly message: string;
  readonly keys: readonly K[];
  readonly signal: AbortSignal;
};

type Keypress = { readonly name?: string; readonly ctrl: boolean };

/** One key, without Enter; another key asks again. Null when the person breaks off or the signal says stop. */
export function askKey<K extends string>(io: Io, { message, keys, signal }: KeyQuestion<K>): Promise<K | null> {
  const { stdin, stdout } = process;
  const valid = keys.map((key) => key.toUpperCase()).join(" ");
  const prompt = (): void => void stdout.write(`${message} (${valid}): `);
  return new Promise((resolve) => {
    const leave = (): void => finish(null);
    const pressed = (_text: string | undefined, { name = "", ctrl }: Keypress): void => {
      if (ctrl && (name === "c" || name === "d")) return finish(null);
      const key = ctrl ? undefined : keys.find((candidate) => candidate === name);
      if (key !== undefined) return finish(key);
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

/** What was typed before a question was on the screen is no answer to it. */
export async function forgetTypedAhead(): Promise<void> {
  const forget = (): void => undefined;
  process.stdin.on("data", forget);
  useRawMode(true);
  await nextTurn(); // pending input is read in the turn that follows
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
    // the terminal is gone; the signal that came with it ends the question
  }
  if (!raw) stdin.pause();
}
