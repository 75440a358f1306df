import { OWN, ownPath } from "../core/own-folder.ts";
import { plainLine } from "./plain-text.ts";

export type SettingRow = {
  readonly key: string;
  readonly text: string;
  readonly from: "default" | "user" | "here" | "project";
};

const ORIGINS: { readonly [from in SettingRow["from"]]: string } = {
  default: "default",
  user: "yours",
  here: "yours, for this project",
  project: ownPath(OWN.state),
};

/** Maximum width in columns. A longer value shifts only the rest of its row. */
const WIDEST = 34;

/** Formats settings with their effective value and its origin. */
export function settingsTable(rows: readonly SettingRow[]): string[] {
  const shown = rows.map(({ key, text, from }) => [key, plainLine(text, 80), ORIGINS[from]] as const);
  const width = (at: 0 | 1): number => Math.min(WIDEST, Math.max(...shown.map((row) => row[at].length)));
  return shown.map(([key, text, from]) => `${key.padEnd(width(0))}  ${text.padEnd(width(1))}  (${from})`);
}
