import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { AnswerOption, RunDetail } from "../../../src/schema/api.ts";
import type { Choice, StartRequest } from "../../../src/schema/api-project.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { listedRun } from "./page-list.ts";

type RunRequestRow = { readonly start: StartRequest; readonly choices: Choice[] };

const CANCEL: AnswerOption = {
  option: "cancel",
  label: "Cancel",
  effect: "Ends the run before a worker begins it.",
  tone: "danger",
  needs: "reason",
};

/** Returns a requested run that has not started: no worker was free, or a choice must be made first. */
export async function askedRun(pool: Pool, person: string, run: RunId): Promise<RunDetail> {
  const row = await listedRun(pool, person, run);
  const { rows } = await pool.query<RunRequestRow>("select start, choices from isdlc.run where run = $1", [run]);
  const [asked] = rows;
  if (row === null || asked === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const { mode = "standard", isSupervised } = asked.start;
  const nobody = { agent: "", reviewer: null, isSandboxed: null };
  const actions = row.notBegun === undefined ? [CANCEL] : [];
  const nothing = { phases: [], timeline: [], wait: null, actions, backTo: [], end: null, warnings: [], seq: 0 };
  return visibleView({ row, mode, isSupervised, ...nobody, ...nothing, asked });
}
