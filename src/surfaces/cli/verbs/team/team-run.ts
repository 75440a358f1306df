import { withCountermarks } from "../../../../adapters/files/countermarks.ts";
import { emptyCursor } from "../../../../adapters/journal/fold.ts";
import { hardenedGit } from "../../../../adapters/git/process/git.ts";
import { type Login, readLogin } from "../../../../adapters/remote/login-file.ts";
import { createReaderSeal, parsePublicKeys } from "../../../../adapters/remote/reader-seal.ts";
import { createServerClient, type ServerClient, readLines } from "../../../../adapters/remote/server-client.ts";
import { currentRun } from "../../../../app/project/current-run.ts";
import type { LocalProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { noRun, type RunState } from "../../../../core/run.ts";
import type { RunEvent } from "../../../../schema/event.ts";
import { JournalLines, TeamRunList, type TeamRunRow, TeamView } from "../../../../schema/api-team.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { type Invocation, text } from "../../invocation/verb.ts";
import { givenToken, identifyStarter, identifyPerson } from "../../invocation/caller.ts";
import type { Seal } from "../../../../ports/journal.ts";

/** A run on a team server, with the journal fetched by this user. */
export type TeamRun = {
  readonly ask: ServerClient;
  readonly login: Login;
  readonly row: TeamRunRow;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
};

/**
 * Finds the team's run: the named one, or the open one of this repository. Null if neither exists, if the user is
 * not signed in to a server, or if the run is a local one.
 */
export async function findTeamRun(invocation: Invocation, project: LocalProject): Promise<TeamRun | null> {
  const login = readLogin(project.folders);
  if (login === null || (await isHere(invocation, project))) return null;
  const ask = createServerClient(login);
  const row = await findRow(invocation, ask, project);
  return row === null ? null : { ask, login, row, ...(await fetchState(ask, login, row.run)) };
}

/** Fetches the current state of the run. */
export async function readTeamRun({ ask, login, row: { run } }: TeamRun): Promise<TeamRun> {
  const { runs } = await ask({ method: "GET", path: `/api/runs?run=${run}`, answer: TeamRunList });
  const [row] = runs;
  if (row === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return { ask, login, row, ...(await fetchState(ask, login, run)) };
}

/** Null if the user is not signed in to a server. */
export function signedInClient({ folders }: Pick<LocalProject, "folders">): ServerClient | null {
  const login = readLogin(folders);
  return login === null ? null : createServerClient(login);
}

/** @throws ProblemError USAGE if the user is not signed in to a server. */
export function signedIn({ folders }: Pick<LocalProject, "folders">): Login {
  const login = readLogin(folders);
  if (login !== null) return login;
  const detail = "You are not signed in to a team's server.";
  throw new ProblemError({ code: "USAGE", detail, usage: "isdlc login <url> --token <token>" });
}

/** True if the run is a local one, which has priority. */
async function isHere({ values }: Invocation, project: LocalProject): Promise<boolean> {
  const named = text(values, "run");
  if (named === undefined) return (await currentRun(project)).state.is === "active";
  return project.journal.load(named).state.is !== "none";
}

async function findRow({ values }: Invocation, ask: ServerClient, project: LocalProject): Promise<TeamRunRow | null> {
  const named = text(values, "run");
  const repository = named === undefined ? await findTeamRepository(ask, project) : null;
  if (named === undefined && repository === null) return null;
  const query = repository === null ? `?run=${named}` : `?repository=${encodeURIComponent(repository)}`;
  const { runs } = await ask({ method: "GET", path: `/api/runs${query}`, answer: TeamRunList });
  if (named !== undefined) return runs.find(({ run }) => run === named) ?? null;
  const open = runs.filter(({ rests }) => rests !== "ended");
  if (open.length > 1) throw severalOpen(open);
  return open[0] ?? null;
}

export function severalOpen(open: readonly TeamRunRow[]): ProblemError {
  const runs = open.map(
    ({ run, title, wait }) => `${run} (${plainLine(title, 60)}${wait === null ? "" : `, ${wait}`})`,
  );
  const detail = `The team has ${open.length} open runs of this repository: ${runs.join("; ")}.`;
  return new ProblemError({ code: "USAGE", detail, usage: "isdlc status --run <id>" });
}

/** Returns the team's name for the repository this clone was made from; null if the team does not have it. */
export async function findTeamRepository(
  ask: ServerClient,
  { root, env }: Pick<LocalProject, "root" | "env">,
): Promise<string | null> {
  const found = await hardenedGit(root, env)(["config", "--get", "remote.origin.url"]);
  if (found.status !== 0) return null;
  const origin = comparable(found.stdout.toString("utf8"));
  const { repositories } = await ask({ method: "GET", path: "/api/team", answer: TeamView });
  return repositories.find(({ remote }) => comparable(remote) === origin)?.name ?? null;
}

const comparable = (remote: string): string =>
  remote
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");

/** Verifies the server's seals and countersignatures with the keys from the user's sign-in. */
export const serverSeal = ({ keys }: Pick<Login, "keys">): Seal => createReaderSeal(parsePublicKeys(keys));

/** Verifies each line with the keys from the user's sign-in, not with keys that the server returns now. */
export async function fetchState(
  ask: ServerClient,
  login: Pick<Login, "keys">,
  run: string,
): Promise<Pick<TeamRun, "state" | "events">> {
  const path = `/api/runs/${run}/lines`;
  const { lines, countermarks } = await ask({ method: "GET", path, answer: JournalLines });
  if (lines.length === 0) return { state: noRun, events: [] };
  const seal = withCountermarks(serverSeal(login), (hash) => countermarks[hash]);
  const { cursor, events } = readLines(emptyCursor(run), lines, seal);
  return { state: cursor.state, events };
}

/**
 * Returns a client that acts for the person at this terminal, or with the given token. Agents are refused before
 * anything is sent.
 */
export async function askAsPerson(invocation: Invocation, project: LocalProject): Promise<ServerClient> {
  const login = signedIn(project);
  const token = givenToken(invocation);
  if (token === undefined) await identifyPerson(invocation, project).catch(namingServer(login.url));
  else await identifyStarter(invocation, project);
  return createServerClient({ url: login.url, token: token ?? login.token });
}

/** Names the server in the problem, because only tokens of that server are valid. */
const namingServer =
  (server: string) =>
  (error: unknown): never => {
    const problem = error instanceof ProblemError ? error.problem : null;
    throw problem?.code === "NEEDS_PERSON" ? new ProblemError({ ...problem, server }) : error;
  };
