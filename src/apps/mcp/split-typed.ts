/** Splits what the user typed after a command at spaces, and takes quotation marks around a word or a title away. */
export function splitTyped(text: string): readonly string[] {
  const words = text.matchAll(/(?:"([^"]*)"|'([^']*)'|(\S+))(?=\s|$)|(\S+)/g);
  return [...words].map(([, double, single, plain, rest]) => double ?? single ?? plain ?? rest ?? "");
}
