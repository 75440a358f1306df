import { plainLine } from "../plain-text.ts";

export type ImportedItems = {
  readonly format: string;
  readonly items: readonly {
    readonly title: string;
    readonly folder: string;
    readonly phases: readonly string[];
    readonly created: boolean;
    readonly mapped: readonly { readonly from: readonly string[]; readonly to: string }[];
  }[];
  readonly left: readonly string[];
};

/** Lists which source file became which document, files not imported, and the next command. */
export function importedLines({ format, items, left }: ImportedItems): string[] {
  const made = items.filter(({ created }) => created);
  return [
    `Imported from ${format}: ${made.length} of ${items.length} ${items.length === 1 ? "item" : "items"}.`,
    ...made.flatMap(({ title, folder, phases, mapped }) => [
      "",
      `${plainLine(title, 100)} -> docs/requirements/${folder}`,
      ...mapped.map(
        ({ from, to }) => `  ${from.map((name) => plainLine(name, 100)).join(", ")} -> ${plainLine(to, 100)}`,
      ),
      `  analyzed: ${phases.length === 0 ? "nothing yet" : phases.join(", ")}`,
      `  Next: isdlc build ${folder}`,
    ]),
    ...(left.length === 0 ? [] : ["", `Not taken: ${left.map((name) => plainLine(name, 100)).join(", ")}`]),
  ];
}
