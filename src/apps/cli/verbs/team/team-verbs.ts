import * as z from "zod/mini";
import { writeLogin } from "../../../../adapters/team/login-file.ts";
import { createServerClient } from "../../../../adapters/team/server-client.ts";
import { shownOf } from "../../../../app/answer/answer.ts";
import { openProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { AnswerRequest } from "../../../../schema/api.ts";
import { JournalLines, TeamStarted, TeamView, type TeamRunRow } from "../../../../schema/api-team.ts";
import { gateNotice } from "../../../../views/gate-banner.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { itemOf, statusLines, statusObject, waitLines, waitObject } from "../../../../views/status.ts";
import { summaryText } from "../../../../views/summary.ts";
import { next } from "../../../../core/next.ts";
import { done, flag, type Invocation, type Result, type Run, text } from "../../grammar/verb.ts";
import { initiatorOf } from "../../main/caller.ts";
import { givenToken } from "../../main/operator-token.ts";
export { team } from "./team-accounts.ts";
export { teamPackage } from "./team-package.ts";
import { askAsPerson, repositoryOf, type TeamRun, teamRunOf } from "./team-run.ts";

/** Signs in to a team's server. Its keys are kept with the token: later answers are held against them. */
export const login: Run = async (invocation) => {
  const { words, verb, cwd, env } = invocation;
  const project = openProject(cwd, env);
  await initiatorOf(invocation, project);
  const url = addressOf(words[0] ?? "");
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

/** Has a team's workers do what a starting verb would do here. */
export const request: Run = async (invocation) => {
  const { words, values, verb, cwd, env } = invocation;
  const project = openProject(cwd, env);
  const ask = await askAsPerson(invocation, project);
  const title = words.join(" ").trim();
  if (title === "") throw usage(verb.usage, "Say what is to be done.");
  const repository = text(values, "repository") ?? (await repositoryOf(ask, project));
  if (repository === null) throw usage(verb.usage, "The team has no repository that this clone comes from.");
  const tests = text(values, "tests");
  const start = {
    what: "run",
    workflow: text(values, "workflow") ?? "change",
    title,
    isSupervised: flag(values, "supervised"),
    choices: tests === undefined ? [] : [{ flag: "--tests", option: tests }],
  };
  const { run } = await ask({ method: "POST", path: "/api/runs", body: { repository, start }, answer: TeamStarted });
  return done([`Asked for: ${run}. The next free worker begins it.`, `See: isdlc status --run ${run}`], { run });
};

/** Null where the verb is not about a team's run. */
const onTeam =
  (there: (invocation: Invocation, team: TeamRun) => Promise<Result>) =>
  async (invocation: Invocation): Promise<Result | null> => {
    const team = await teamRunOf(invocation, openProject(invocation.cwd, invocation.env));
    return team === null ? null : there(invocation, team);
  };

const showStatus = (_invocation: Invocation, { row, state, login: { url } }: TeamRun): Promise<Result> => {
  const driven = row.worker !== null;
  const head = `Run ${row.run} of the team at ${url}, ${whereabouts(row)}.`;
  const lines = state.is === "none" ? [] : statusLines(state, { driven });
  return Promise.resolve(done([head, ...lines], { run: statusObject(state, { driven }), team: row }));
};

function whereabouts({ worker, rests, refused }: TeamRunRow): string {
  if (refused !== null) return `could not be begun: ${plainLine(refused, 300)}`;
  if (worker !== null) return `driven by ${worker}`;
  return rests === "action" ? "waiting for a worker" : rests === "wait" ? "waiting for a person" : "ended";
}

const showGate = (_invocation: Invocation, { state }: TeamRun): Promise<Result> => {
  const now = next(state);
  if (state.is !== "active" || now.is !== "wait")
    return Promise.resolve(done(["Nothing waits for an answer now."], { waiting: null }));
  const waiting = waitObject(state, now.wait);
  if (now.wait.kind !== "gate")
    return Promise.resolve(done(waitLines(now.wait, now.options, itemOf(state)), { waiting, shown: shownOf(state) }));
  const summary = summaryText(state);
  return Promise.resolve(done([summary, gateNotice(state) ?? ""], { waiting, shown: shownOf(state), summary }));
};

/** Answers by the server: continue, review, redo, or whatever option is named. */
async function giveAnswer(invocation: Invocation, { row, state }: TeamRun): Promise<Result> {
  const { verb, words, values, cwd, env } = invocation;
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const ask = await askAsPerson(invocation, openProject(cwd, env));
  const [named = "", ...rest] = verb.name === "answer" ? words : [verb.name, ...words];
  const body: AnswerRequest = {
    wait: text(values, "wait") ?? state.wait?.id ?? null,
    shown: text(values, "shown") ?? shownOf(state),
    option: named,
    text: text(values, "text") ?? rest.join(" "),
    comments: [],
    replies: [],
    tree: "restore",
    isConfirmed: flag(values, "yes"),
  };
  await ask({ method: "POST", path: `/api/runs/${row.run}/answer`, body, answer: z.extend(JournalLines, {}) });
  return done([`Recorded: ${named}.`, `See: isdlc status --run ${row.run}`], { run: row.run, recorded: named });
}

function addressOf(said: string): string | null {
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
