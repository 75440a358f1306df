import { ProblemError } from "../../core/problem.ts";
import type { Project } from "../project/project.ts";
import type { Scope, SettingValue } from "./setting.ts";
import { findSetting, settingNames } from "./settings-table.ts";
import { plainLine } from "../../views/plain-text.ts";
import { findTests } from "../start/plan-tests.ts";
import { money } from "../../core/duration.ts";

export type SettingChange = {
  readonly key: string;
  /** Null removes it. */
  readonly value: string | null;
  readonly scope: Scope;
};

/**
 * Sets or removes a setting. Returns a warning for the user, if any. The caller checks the user's right to change it.
 * @throws ProblemError for an unknown key or an invalid value.
 */
export function changeSetting(project: Project, { key, value, scope }: SettingChange): string | null {
  const setting = findSetting(project, key);
  if (scope === "here" && !setting.isByProject) {
    const detail = `${key} cannot be set for one project alone; agents, limits, session and tests can.`;
    throw new ProblemError({ code: "USAGE", detail, usage: `isdlc config set ${key} ${setting.valid}` });
  }
  const parsed = value === null ? null : setting.parse(value, project);
  if (parsed !== undefined) return setting.write(project, parsed, scope);
  const usage = `isdlc config set ${key} ${setting.valid}`;
  const expected = setting.valid.replace(/^<(.*)>$/, "$1");
  throw new ProblemError({
    code: "USAGE",
    detail: `Invalid value "${value}" for ${key} (expected ${expected}).`,
    usage,
  });
}

/**
 * Saves the test command of this project and trusts it, with the scripts and settings it uses now. Null removes it.
 * Returns a warning if the command cannot run on this machine.
 * @throws ProblemError USAGE for a command that needs a shell.
 */
export async function setTestCommand(project: Project, value: string | null): Promise<string | null> {
  changeSetting(project, { key: "tests", value, scope: "here" });
  const found = value === null ? null : await findTests(project);
  if (found === null) return null;
  project.trust.trust(found.command.digest);
  return found.unavailable === undefined ? null : `The tests cannot run: ${plainLine(found.unavailable)}.`;
}

/** Effective setting for the next run here. */
type EffectiveSetting = SettingValue & {
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
