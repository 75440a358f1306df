import type { CheckResult, FileChange } from "../../schema/facts.ts";
import type { PhaseRecord } from "../run.ts";
import { isBookkeeping } from "../items/item-meta.ts";

/** Name of the check for phases that must change code. */
const CHANGED_CODE = "changed code";

export const mustChangeCode = ({ rule }: PhaseRecord): boolean => rule.mustChange === true && rule.writes !== "item";

/** Returns changes that count as code: neither documents of the item, nor records, nor submodules. */
export function codeChanges(
  changes: readonly FileChange[],
  { item, submodules }: { readonly item: string; readonly submodules: readonly string[] },
): readonly FileChange[] {
  return changes.filter(
    ({ path }) => !path.startsWith(`${item}/`) && !isBookkeeping(path) && !submodules.includes(path),
  );
}

/** Builds the failed check, with advice for the agent. */
export function noCodeChanged(touched: readonly string[]): CheckResult {
  const inside =
    touched.length === 0
      ? []
      : [`A change inside ${touched.join(", ")} does not count: a submodule is another repository.`];
  const detail = [
    "This phase has to change code, but no file of this repository was changed except the documents of the item.",
    ...inside,
    "Make the change. If none is needed, end with the status failed and give the reason.",
  ].join("\n");
  return { name: CHANGED_CODE, ok: false, detail };
}

export const hasChangedNothing = (results: readonly CheckResult[]): boolean =>
  results.some(({ name, ok }) => name === CHANGED_CODE && ok === false);
