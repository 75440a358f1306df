import { money } from "../../core/money.ts";
import type { Project } from "../project/project.ts";
import type { SettingValue } from "./setting.ts";
import { settingNames, findSetting } from "./settings-table.ts";

/** Effective setting for the next run here. */
export type EffectiveSetting = SettingValue & {
  readonly key: string;
  /** Value or default, as text. */
  readonly text: string;
  readonly valid: string;
};

export const effectiveSettings = (
  project: Project,
  keys: readonly string[] = settingNames(project),
): EffectiveSetting[] =>
  keys.map((key) => {
    const setting = findSetting(project, key);
    const found = setting.read(project);
    const text = found.value === null ? setting.fallback(project) : valueText(key, found.value);
    return { key, ...found, text, valid: setting.valid };
  });

/** Hides the value of a secret. */
function valueText(key: string, value: unknown): string {
  if (key.endsWith("-secret")) return "(set)";
  if (key === "max-usd" && typeof value === "number") return money(value);
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}
