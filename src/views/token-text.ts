import { money } from "../core/money.ts";
import type { PhaseRecord } from "../core/run.ts";
import type { Usage } from "../schema/agent.ts";

type MissingUsage = Pick<PhaseRecord, "missingUsage" | "missingCost">;

/** Formats tokens and cost. Unknown values are omitted, never shown as zero. */
export function tokens(
  { input, output, usd }: Usage,
  more: MissingUsage = { missingUsage: 0, missingCost: 0 },
): string {
  const least = (count: number): string => (count > 0 ? "at least " : "");
  const used = compact((input ?? 0) + (output ?? 0));
  return [
    input === null && output === null ? "" : `${least(more.missingUsage)}${used} tokens`,
    usd === null ? "" : `${least(more.missingCost)}${money(usd)}${more.missingCost > 0 ? " (partly unknown)" : ""}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

const compact = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`);
