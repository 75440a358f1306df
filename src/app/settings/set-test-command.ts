import { plainLine } from "../../views/plain-text.ts";
import type { Project } from "../project/project.ts";
import { findTests } from "../start/plan-tests.ts";
import { changeSetting } from "./change-setting.ts";

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
