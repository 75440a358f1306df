import { existsSync } from "node:fs";
import { settingsUnreadable } from "../../../app/authorize/authorize.ts";
import {
  changeSetting,
  type SettingChange,
  setTestCommand,
  effectiveSettings,
} from "../../../app/settings/change-setting.ts";
import { findSetting } from "../../../app/settings/settings-table.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import { settingsTable } from "../../../views/settings-table.ts";
import { done, flag, type Invocation, type Result, type Run } from "../invocation/verb.ts";
import { identifyPerson } from "../invocation/caller.ts";
import { editFiles } from "../terminal/edit-at-gate.ts";

/** Shows and changes settings: supervision of this project, and the user's own. */
export const config: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const [action = "get", key, value] = invocation.words;
  if (action === "get") return show(project, key);
  if (action === "edit" && key === undefined) return edit(invocation, project);
  const isSet = action === "set" && value !== undefined;
  if (key === undefined || !(isSet || action === "unset"))
    throw new ProblemError({
      code: "USAGE",
      detail: "Name the setting to read, set or unset.",
      usage: invocation.verb.usage,
    });
  const scope = flag(invocation.values, "project") ? "here" : "user";
  return change(invocation, project, { key, value: isSet ? value : null, scope });
};

async function change(invocation: Invocation, project: LocalProject, wanted: SettingChange): Promise<Result> {
  findSetting(project, wanted.key);
  await identifyPerson(invocation, project);
  const warning = wanted.key === "tests" ? await setTestCommand(project, wanted.value) : changeSetting(project, wanted);
  if (warning !== null) invocation.io.err(`warning: ${warning}`);
  return show(project, wanted.key);
}

function show(project: LocalProject, key: string | undefined): Result {
  const rows = effectiveSettings(project, key === undefined ? undefined : [key]);
  const found = Object.fromEntries(rows.map((row) => [row.key, row.value]));
  const effective = Object.fromEntries(rows.map(({ key: name, text, from }) => [name, { text, from }]));
  const hint = key === undefined ? ["", "Change one: isdlc config set <setting> <value>, or unset <setting>"] : [];
  return done([...settingsTable(rows), ...hint], { settings: found, effective });
}

/** Opens the user's settings file in their editor. Then prints a warning for each invalid part. */
async function edit(invocation: Invocation, project: LocalProject): Promise<Result> {
  const { io } = invocation;
  const { settings } = project;
  await identifyPerson(invocation, project);
  if (!io.interactive) throw new ProblemError({ code: "NEEDS_PERSON", verb: "config edit" });
  if (!existsSync(settings.file)) settings.write({});
  await editFiles(invocation, [settings.file]);
  settings.accept();
  const { found, warnings } = settings.read();
  if (found === null) throw new ProblemError(settingsUnreadable(project));
  for (const warning of warnings) io.err(`warning: ${warning}`);
  return show(project, undefined);
}
