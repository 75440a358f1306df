import * as z from "zod/mini";
import { shownDigest } from "../../../../app/answer/answer.ts";
import { needConfirmed } from "../../../../app/answer/answer-table.ts";
import { openProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { listWaitOptions } from "../../../../core/next.ts";
import type { ActiveRun, WaitOption } from "../../../../core/run.ts";
import type { AnswerRequest } from "../../../../schema/api.ts";
import { JournalLines } from "../../../../schema/api-team.ts";
import { done, flag, type Invocation, type Result, text } from "../../invocation/verb.ts";
import { isRecordOnly, readReplies } from "../answer.ts";
import { readComments } from "../read-comments.ts";
import { followUntilRest } from "./follow-until-rest.ts";
import { askAsPerson, type TeamRun } from "./team-run.ts";

/** Sends an answer to the server: continue, review, redo, cancel, back or any named option. Then follows the run. */
export async function giveAnswer(invocation: Invocation, team: TeamRun): Promise<Result> {
  const { cwd, env } = invocation;
  const { row, state, events } = team;
  if (state.is === "none" && isCancel(invocation)) return cancelUnbegun(invocation, team);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const ask = await askAsPerson(invocation, openProject(cwd, env));
  const body = toRequestBody(invocation, { state, events });
  if (body.option === "discard" && isOffered(state, "discard")) needConfirmed(body.isConfirmed);
  await ask({ method: "POST", path: `/api/runs/${row.run}/answer`, body, answer: z.extend(JournalLines, {}) });
  if (body.option !== "review" && !isRecordOnly(invocation)) return followUntilRest(invocation, team);
  return done([`Recorded: ${body.option}.`, `See: isdlc status --run ${row.run}`], {
    run: row.run,
    recorded: body.option,
  });
}

const isCancel = ({ verb, words }: Invocation): boolean =>
  verb.name === "cancel" || (verb.name === "answer" && words[0] === "cancel");

/** Cancels a requested run that had not started when it was read. The server decides if a worker was faster. */
async function cancelUnbegun(invocation: Invocation, team: TeamRun): Promise<Result> {
  const { cwd, env, values } = invocation;
  const ask = await askAsPerson(invocation, openProject(cwd, env));
  const body = { wait: null, shown: "", option: "cancel", text: text(values, "text") ?? text(values, "reason") ?? "" };
  await ask({ method: "POST", path: `/api/runs/${team.row.run}/answer`, body, answer: JournalLines });
  return followUntilRest(invocation, team);
}

const isOffered = (run: ActiveRun, option: WaitOption): boolean =>
  run.wait !== null && listWaitOptions(run, run.wait).includes(option);

type OpenTeamRun = Pick<TeamRun, "events"> & { readonly state: ActiveRun };

function toRequestBody(invocation: Invocation, { state, events }: OpenTeamRun): AnswerRequest {
  const { verb, words, values } = invocation;
  const [named = "", ...rest] = verb.name === "answer" ? words : [verb.name, ...words];
  const base = {
    shown: text(values, "shown") ?? shownDigest(state),
    comments: named === "redo" ? readComments(invocation, events) : [],
    replies: readReplies(invocation, state.wait),
    isConfirmed: flag(values, "yes"),
  };
  if (named === "back" || named === "fresh")
    return { ...base, ...readBackRequest(invocation, named === "back" ? rest : [undefined, ...rest]) };
  return {
    ...base,
    wait: findWait(invocation, named, state),
    option: named,
    text: text(values, "text") ?? text(values, "reason") ?? rest.join(" "),
    tree: "restore",
  };
}

/** Null if the command applies to the run itself instead of its open wait. */
function findWait({ values }: Invocation, option: string, { wait }: ActiveRun): string | null {
  const isOfTheRun = option === "cancel" || ((option === "retry" || option === "skip") && wait?.kind !== "escalation");
  return isOfTheRun ? null : (text(values, "wait") ?? wait?.id ?? null);
}

/** Reads a return to a phase, with optional guidance. With guidance, the files stay, to be improved. */
function readBackRequest({ values }: Invocation, [phase, ...words]: readonly (string | undefined)[]) {
  const guidance = (text(values, "text") ?? words.join(" ")).trim();
  const isKept = flag(values, "keep-tree") || (guidance !== "" && !flag(values, "restore-tree"));
  const tree = isKept ? ("keep" as const) : ("restore" as const);
  return { wait: null, option: "back", text: guidance, tree, ...(phase === undefined ? {} : { phase }) };
}
