import { writeLogin } from "../../../../adapters/remote/login-file.ts";
import { createServerClient } from "../../../../adapters/remote/server-client.ts";
import { openProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { TeamView } from "../../../../schema/api-team.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { done, type Invocation, type Result, type Run, text } from "../../invocation/verb.ts";
import { givenToken, identifyStarter } from "../../invocation/caller.ts";
import { giveAnswer } from "./team-answer.ts";
import { beginOnTeam } from "./team-begin.ts";
import { showGate, showHistory, showStatus } from "./team-look.ts";
import { showLogs } from "./team-logs.ts";
import { type TeamRun, findTeamRun } from "./team-run.ts";
export { pullRun, pushRun } from "./move-run.ts";
export { team } from "./team-accounts.ts";
export { teamBegin } from "./team-begin.ts";
export { teamItems } from "./team-look.ts";
export { teamPackage } from "./team-package.ts";

/** Signs in to a team server. Its keys are stored with the token, to verify later responses. */
export const login: Run = async (invocation) => {
  const { words, verb, cwd, env } = invocation;
  const project = openProject(cwd, env);
  await identifyStarter(invocation, project);
  const url = parseAddress(words[0] ?? "");
  const token = givenToken(invocation);
  if (url === null || token === undefined) throw usage(verb.usage, "Give the server's address and your token.");
  const ask = createServerClient({ url, token });
  const { person, keys, repositories } = await ask({ method: "GET", path: "/api/team", answer: TeamView });
  writeLogin(project.folders, { url, token, person, keys });
  const names = repositories.map(({ name }) => plainLine(name, 80));
  return done([`Signed in to ${url} as ${person}.`, `Repositories: ${names.join(", ") || "none yet"}`], {
    url,
    person,
  });
};

/** Requests a run of a starting command from the team's workers. */
export const request: Run = (invocation) =>
  beginOnTeam(invocation, { workflow: text(invocation.values, "workflow") ?? "change", words: invocation.words });

type There = (invocation: Invocation, team: TeamRun) => Result | Promise<Result>;

/** Null if the command is not about a team's run. */
const onTeam =
  (there: There) =>
  async (invocation: Invocation): Promise<Result | null> => {
    const found = await findTeamRun(invocation, openProject(invocation.cwd, invocation.env));
    return found === null ? null : there(invocation, found);
  };

function parseAddress(said: string): string | null {
  try {
    const { protocol, origin } = new URL(said);
    return protocol === "https:" || protocol === "http:" ? origin : null;
  } catch {
    return null;
  }
}

const usage = (how: string, detail: string): ProblemError => new ProblemError({ code: "USAGE", detail, usage: how });

export const teamStatus = onTeam(showStatus);
export const teamGate = onTeam(showGate);
export const teamAnswer = onTeam(giveAnswer);
export const teamHistory = onTeam(showHistory);
export const teamLogs = onTeam(showLogs);
