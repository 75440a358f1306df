import { existsSync } from "node:fs";
import { readRangeToAdopt } from "../../../adapters/attestation/adopted-range.ts";
import { historyGit } from "../../../adapters/attestation/history-git.ts";
import { findTests } from "../../../app/start/plan-tests.ts";
import { findAgent, KNOWN_AGENTS } from "../../../compose/known-agents.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { formatCount } from "../../../core/duration.ts";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { testCommandText } from "../../../core/test-command.ts";
import { plainLine } from "../../../views/plain-text.ts";

/** What isdlc found, and what a new user can do with it. At most 12 lines. Starts nothing and writes nothing. */
export async function firstContact(project: LocalProject): Promise<readonly string[]> {
  const agents = KNOWN_AGENTS.filter((name) => findAgent(name, project.env) !== null);
  const tests = await findTests(project);
  return [
    "isdlc checks the work of coding agents. Only you can open its gates.",
    "",
    `  git     ${await describeWork(project)}`,
    `  agents  ${agents.length === 0 ? "none found; adopt and demo need none" : agents.join(", ")}`,
    `  tests   ${tests === null ? "none found" : plainLine(testCommandText(tests.command), 120)}`,
    "",
    "  isdlc adopt         Judge the work that is here",
    '  isdlc "<change>"    Start a change with an agent',
    "  isdlc demo          See the whole flow, without an agent",
    "  isdlc help          Show more commands",
  ];
}

/** True for a user without settings and a project without files of isdlc. */
export const isFirstContact = ({ own, settings }: LocalProject): boolean =>
  !existsSync(own) && Object.keys(settings.read().settings).length === 0;

async function describeWork({ root, env, vcs }: LocalProject): Promise<string> {
  const facts = await vcs.facts();
  if (facts === null) return "no repository here (git init)";
  if (facts.head === null) return "a repository without commits";
  const where = facts.branch === null ? `commit ${facts.head.slice(0, 12)}` : `branch ${plainLine(facts.branch, 80)}`;
  const dirty = formatCount((await vcs.dirty([OWN_FOLDER])).length, "uncommitted file");
  try {
    const { commits } = await readRangeToAdopt(await historyGit(root, env), null, facts.branch);
    return `${where}, ${formatCount(commits.length, "commit")} since the main branch, ${dirty}`;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `${where}, ${dirty}`; // the start of the work is unclear; isdlc adopt explains it
  }
}
