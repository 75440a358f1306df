/** Splits the user's text after a command at spaces, and removes quotation marks around a word or title. */
export function splitTyped(text: string): readonly string[] {
  const words = text.matchAll(/(?:"([^"]*)"|'([^']*)'|(\S+))(?=\s|$)|(\S+)/g);
  return [...words].map(([, double, single, plain, rest]) => double ?? single ?? plain ?? rest ?? "");
}
