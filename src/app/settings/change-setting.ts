import { ProblemError } from "../../core/problem.ts";
import type { Project } from "../project/project.ts";
import type { Scope } from "./setting.ts";
import { findSetting } from "./settings-table.ts";

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
