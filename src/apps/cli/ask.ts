import type { Io } from "./io.ts";

/** A yes or no from the person at the terminal; without one the answer is no, and nobody is asked. */
export async function ask(io: Io, question: string, about: readonly string[]): Promise<boolean> {
  if (!io.interactive) return false;
  const { confirm, isCancel } = await import("@clack/prompts");
  for (const line of about) io.out(line);
  const answer = await confirm({ message: question, initialValue: true });
  return !isCancel(answer) && answer;
}
