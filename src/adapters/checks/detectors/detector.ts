import type { ProjectFiles } from "./project-files.ts";

export type NamedText = readonly [name: string, text: string];

/** Test setup: commands, files and configuration. */
export type DetectedTests = {
  readonly argv: readonly string[];
  /** Further commands, run one after another. */
  readonly more?: readonly (readonly string[])[];
  /** Source of the command, for display. */
  readonly source: string;
  /**
   * Test configuration: everything that decides what the command runs. Any change of how tests run changes one of
   * these.
   */
  readonly definition: readonly NamedText[];
};

export type Detector = (files: ProjectFiles) => DetectedTests | null;

/** Returns the texts of the existing files. An unreadable file still counts: the tool may use it. */
export function readTexts(files: ProjectFiles, names: readonly string[]): NamedText[] {
  return names.flatMap((name): NamedText[] =>
    files.exists(name) ? [[name, files.text(name) ?? "(not readable as a definition)"]] : [],
  );
}

/** Returns the sections of an INI or TOML text with a matching header, including headers. */
export function findSections(text: string, header: RegExp): string {
  let inside = false;
  const kept = text.split("\n").filter((line) => {
    if (/^\[{1,2}[^[\]]+\]{1,2}\s*(?:#.*)?$/.test(line)) inside = header.test(line);
    return inside;
  });
  return kept.join("\n").trim();
}
