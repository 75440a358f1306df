import { hostname } from "node:os";
import type { ServerClient } from "../../../../adapters/remote/server-client.ts";
import { fetchRun } from "../../../../compose/fetch-run.ts";
import { type LocalProject, openProject } from "../../../../compose/project.ts";
import { sendRun } from "../../../../compose/send-run.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { ActiveRun } from "../../../../core/run.ts";
import { testCommandText } from "../../../../core/test-command.ts";
import { TeamRunList, type TeamRunRow, TeamView } from "../../../../schema/api-team.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { done, type Invocation, type Result, type Run, text } from "../../invocation/verb.ts";
import { askAsPerson, findTeamRepository, serverSeal, severalOpen, signedIn, fetchState } from "./team-run.ts";

/** Moves the open run of this working tree to the team. */
export const pushRun: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const ask = await askAsPerson(invocation, project);
  const repository = text(invocation.values, "repository") ?? (await findTeamRepository(ask, project));
  if (repository === null) throw usage(invocation, "The team has no repository that this clone comes from.");
  const { run, uncommitted } = await sendRun(project, ask, repository);
  return done(
    [
      `${run} belongs to the team now; its workers continue it. It no longer runs here.`,
      ...(uncommitted.length === 0 ? [] : [uncommittedLine(uncommitted)]),
      "Workers use their own agents, sandbox and git settings: an open gate may need a new answer.",
      `See: isdlc status --run ${run}. Take it back: isdlc pull-run --run ${run}`,
    ],
    { run, repository, uncommitted },
  );
};

const MAX_NAMED_WORKTREE_FILES = 5;

function uncommittedLine(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED_WORKTREE_FILES).map((path) => plainLine(path, 80));
  const more = paths.length > named.length ? `, and ${paths.length - named.length} more` : "";
  return `Uncommitted changes went along in its snapshots, your own lines included: ${named.join(", ")}${more}.`;
}

/** Moves an open run of the team into this working tree. */
export const pullRun: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const ask = await askAsPerson(invocation, project);
  const login = signedIn(project);
  const to = await placeInWords(ask, project);
  const row = await wantedRow(invocation, { ask, project, to });
  const { state } = await fetchState(ask, login, row.run);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const isOnItsWay = row.movedTo === to;
  const fetched = await fetchRun(project, ask, { state, isOnItsWay, serverSeal: serverSeal(login), to });
  return fetchedResult(fetched.state, fetched.warnings);
};

function fetchedResult(state: ActiveRun, warnings: readonly string[]): Result {
  const { run, git, agent, sandbox } = state.run;
  const tests = state.tests === null ? "no tests" : `tests by "${plainLine(testCommandText(state.tests), 200)}"`;
  return done(
    [
      ...warnings.map((warning) => `warning: ${warning}`),
      `${run} is here now, on ${git?.branch ?? "no branch"}. The team no longer works on it.`,
      `It was started with the agent ${plainLine(agent.name, 40)}, ${tests}, ${sandbox === true ? "a" : "no"} sandbox.`,
      "Your git settings differ from the team's: an open gate may need a new answer.",
      "To continue: isdlc status. Bring it back: isdlc push-run",
    ],
    { run, warnings },
  );
}

/** Describes this working tree for users; the server identifies it by a number. */
async function placeInWords(ask: ServerClient, { root }: LocalProject): Promise<string> {
  const { person } = await ask({ method: "GET", path: "/api/team", answer: TeamView });
  return plainLine(`${person}'s ${hostname()}:${root}`, 200);
}

type MoveContext = { readonly ask: ServerClient; readonly project: LocalProject; readonly to: string };

/** Returns the named run. Without a name, the one on its way to this working tree, or the only open one. */
async function wantedRow(invocation: Invocation, { ask, project, to }: MoveContext): Promise<TeamRunRow> {
  const named = text(invocation.values, "run");
  const repository = named === undefined ? await findTeamRepository(ask, project) : null;
  if (named === undefined && repository === null)
    throw usage(invocation, "The team has no repository that this clone comes from.");
  const query = named === undefined ? `repository=${encodeURIComponent(repository ?? "")}` : `run=${named}`;
  const { runs } = await ask({ method: "GET", path: `/api/runs?${query}`, answer: TeamRunList });
  const coming = runs.filter(({ movedTo }) => movedTo === to);
  const open = coming.length > 0 ? coming : runs.filter(({ rests }) => rests !== "ended");
  const [row] = named === undefined ? open : runs;
  if (row === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  if (named === undefined && open.length > 1) throw severalOpen(open);
  return row;
}

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
