import type { ProjectFiles } from "../project-files.ts";

export type NamedText = readonly [name: string, text: string];

/** A way to run tests. */
export type DetectedTests = {
  readonly argv: readonly string[];
  /** Further commands, run one after the other. */
  readonly more?: readonly (readonly string[])[];
  /** Where it was found, for people. */
  readonly source: string;
  /** Everything that decides what the command runs: whoever changes the way tests are run changes one of these. */
  readonly definition: readonly NamedText[];
};

export type Detector = (files: ProjectFiles) => DetectedTests | null;

/** The texts of those files that are there. One that cannot be read still counts: it may be what the tool will use. */
export function readTexts(files: ProjectFiles, names: readonly string[]): NamedText[] {
  return names.flatMap((name): NamedText[] =>
    files.exists(name) ? [[name, files.text(name) ?? "(not readable as a definition)"]] : [],
  );
}

/** The sections of an INI or TOML text whose header matches, headers included. */
export function findSections(text: string, header: RegExp): string {
  let inside = false;
  const kept = text.split("\n").filter((line) => {
    if (/^\[{1,2}[^[\]]+\]{1,2}\s*(?:#.*)?$/.test(line)) inside = header.test(line);
    return inside;
  });
  return kept.join("\n").trim();
}
