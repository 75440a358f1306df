import { minutesBetween } from "../core/duration.ts";
import { deriveBacklogMarker } from "../core/items/analysis-status.ts";
import type { ItemRow } from "../schema/api-project.ts";
import { plainLine } from "./plain-text.ts";

const headings = ["", "ITEM", "STATUS", "AGE", "STALE"] as const;

/** Formats items as a table. `now` is a timestamp. */
export function itemsTable(rows: readonly ItemRow[], now: string): string {
  if (rows.length === 0) return 'No items yet. Add one: isdlc add "<what to do>".';
  const cells = [headings, ...rows.map((row) => toCells(row, now))];
  const widths = headings.map((_heading, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toCells({ slug, status, createdAt, isBuilt, isStale }: ItemRow, now: string): readonly string[] {
  const marker = isBuilt ? "x" : deriveBacklogMarker(status);
  const staleness = isStale === null ? "-" : isStale ? "yes" : "no";
  return [
    `[${marker}]`,
    plainLine(slug, 100),
    isBuilt ? "built" : plainLine(status, 20),
    formatAge(createdAt, now),
    staleness,
  ];
}

const DAY = 24 * 60;

/** Formats an age in one unit, which is enough to find old items: `12m`, `5h`, `3d`. */
function formatAge(createdAt: string | null, now: string): string {
  const minutes = minutesBetween(createdAt, now);
  if (minutes === null) return "-";
  if (minutes < 60) return `${minutes}m`;
  return minutes < DAY ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / DAY)}d`;
}
