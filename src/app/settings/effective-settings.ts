import { money } from "../../core/money.ts";
import type { Project } from "../project/project.ts";
import type { SettingValue } from "./setting.ts";
import { settingNames, findSetting } from "./settings-table.ts";

/** A setting as it holds for the next run here. */
export type EffectiveSetting = SettingValue & {
  readonly key: string;
  /** The value, or what holds without one, in words. */
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

/** A secret is told to be there, and no more. */
function valueText(key: string, value: unknown): string {
  if (key.endsWith("-secret")) return "(set)";
  if (key === "max-usd" && typeof value === "number") return money(value);
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}
