import * as z from "zod/mini";
import * as team from "../../../src/schema/api-team.ts";
import type { Operation } from "./operation.ts";

/** Operations for workers. */
export const WORKER_OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/api/worker/beat",
    summary: "Say that a worker lives",
    by: "worker",
    body: team.Beat,
    answer: team.BeatAnswer,
  },
  {
    method: "post",
    path: "/api/worker/ended",
    summary: "Ask which of some runs have ended, to forget what was kept for them",
    by: "worker",
    body: team.EndedRequest,
    answer: team.EndedAnswer,
  },
  {
    method: "post",
    path: "/api/worker/claim",
    summary: "Take the next run of the queue",
    by: "worker",
    body: team.ClaimRequest,
    answer: team.ClaimAnswer,
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/names",
    summary: "Draw a name for a run, which no other run of the repository gets",
    by: "worker",
    body: team.NameRequest,
    answer: team.NameAnswer,
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/commands",
    summary: "Report about a run that one holds",
    by: "worker",
    body: team.WorkerReport,
    answer: team.ReportAnswer,
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/kept",
    summary: "Report where unpushed work is saved after the run was taken away",
    by: "worker",
    body: team.KeptWork,
    answer: z.object({}),
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/left-branch",
    summary: "Report the branch that a discard could not delete",
    by: "worker",
    body: team.LeftBranchNote,
    answer: z.object({}),
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/give-back",
    summary: "Give a run back",
    by: "worker",
    body: team.GiveBack,
    answer: z.object({}),
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/merge",
    summary: "Request the merge of a run; the server makes it",
    by: "worker",
    body: team.MergeRequest,
    answer: team.MergeAnswer,
  },
  {
    method: "post",
    path: "/api/worker/runs/:run/activity",
    summary: "Report the output of an agent",
    by: "worker",
    body: team.Activity,
    answer: z.object({}),
  },
];
