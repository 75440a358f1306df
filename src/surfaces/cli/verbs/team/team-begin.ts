import { openProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { noRun } from "../../../../core/run.ts";
import { type StartRequest } from "../../../../schema/api-project.ts";
import { TeamStarted } from "../../../../schema/api-team.ts";
import { personOptions, startOptions } from "../../grammar/options.ts";
import { done, flag, type Invocation, type Result, text } from "../../invocation/verb.ts";
import { isRecordOnly } from "../answer.ts";
import { WORKFLOW_OF } from "../begin.ts";
import { followUntilRest } from "./follow-until-rest.ts";
import { askAsPerson, findTeamRepository, signedIn } from "./team-run.ts";

export type TeamWork = { readonly workflow: string; readonly words: readonly string[] };

/** Runs a starting command with `--team`; null without it. */
export async function teamBegin(invocation: Invocation): Promise<Result | null> {
  const { values, verb, words } = invocation;
  if (!flag(values, "team")) return null;
  if (verb.name === "run") return begin(invocation, { workflow: words[0] ?? "", words: words.slice(1) });
  return begin(invocation, { workflow: WORKFLOW_OF[verb.name] ?? "change", words });
}

/** Requests a run without waiting for it. */
export async function beginOnTeam(invocation: Invocation, wanted: TeamWork): Promise<Result> {
  const { run } = await ask(invocation, wanted);
  return done([`Asked for: ${run}. The next free worker starts it.`, `See: isdlc status --run ${run}`], { run });
}

/** Requests a run and follows it until it waits or ends, like a local run. */
async function begin(invocation: Invocation, wanted: TeamWork): Promise<Result> {
  if (isRecordOnly(invocation)) return beginOnTeam(invocation, wanted);
  const { run, row, login, client } = await ask(invocation, wanted);
  invocation.io.err(`Asked for: ${run}. The next free worker starts it.`);
  return followUntilRest(invocation, { ask: client, login, row, state: noRun, events: [] });
}

async function ask(invocation: Invocation, { workflow, words }: TeamWork) {
  const { values, verb, cwd, env } = invocation;
  const project = openProject(cwd, env);
  const client = await askAsPerson(invocation, project);
  refuseOthers(invocation);
  const title = words.join(" ").trim();
  if (title === "") throw usage(verb.usage, "Describe the change.");
  const repository = text(values, "repository") ?? (await findTeamRepository(client, project));
  if (repository === null) throw usage(verb.usage, "The team has no repository that this clone comes from.");
  const start: StartRequest = {
    what: "run",
    workflow,
    title,
    isSupervised: flag(values, "supervised"),
    ...readModeOption(invocation),
    choices: CHOICES.flatMap((name) => {
      const option = text(values, name) ?? (flag(values, name) ? "yes" : undefined);
      return option === undefined ? [] : [{ flag: `--${name}` as const, option }];
    }),
  };
  const body = { repository, start };
  const { run } = await client({ method: "POST", path: "/api/runs", body, answer: TeamStarted });
  const row = { run, repository, title, begunBy: "", rests: "action", wait: null, phase: null } as const;
  const more = {
    worker: null,
    refused: null,
    choices: [],
    kept: [],
    movedTo: null,
    movedBy: null,
    cancelledBy: null,
    leftBranch: null,
    hostSince: null,
  };
  return { run, client, login: signedIn(project), row: { ...row, ...more } };
}

/** Refuses options that workers do not receive, instead of ignoring them. */
function refuseOthers({ values, verb }: Invocation): void {
  const other = Object.keys(startOptions).find((name) => values[name] !== undefined && !TOLD.has(name));
  if (other === undefined) return;
  throw usage(verb.usage, `--${other} does not apply to a team's run: it is decided where its workers are.`);
}

const CHOICES = ["tests", "on-stale", "on-partial", "yes"] as const;

const TOLD: ReadonlySet<string> = new Set([...CHOICES, ...Object.keys(personOptions), "supervised", "mode"]);

function readModeOption({ values }: Invocation): Pick<StartRequest, "mode"> {
  const mode = text(values, "mode");
  return mode === undefined ? {} : { mode: mode as NonNullable<StartRequest["mode"]> }; // the catalog allows no other value
}

const usage = (how: string, detail: string): ProblemError => new ProblemError({ code: "USAGE", detail, usage: how });
