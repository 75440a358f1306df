import * as z from "zod/mini";
import { $ZodError } from "zod/v4/core";
import { currentRun } from "../../app/project/current-run.ts";
import { type AtWork, beginWork, reportWork, type SessionState } from "../../app/session/session-work.ts";
import { callingSession, callingThread, sessionEnvironment } from "../../compose/calling-session.ts";
import { openProject } from "../../compose/project.ts";
import type { Progress } from "../../ports/progress.ts";
import { describe, ProblemError } from "../../core/problem.ts";
import { AgentResult } from "../../schema/agent.ts";
import { sessionAnswer } from "../../views/session-answer.ts";
import { statusLines } from "../../views/status.ts";
import type { Tool, ToolCall, ToolResult } from "./tool.ts";
import { lookAtRun } from "../../app/inspect/look-at-gate.ts";

const READS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;
const WORKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const;

const text = (most: number) => z.string().check(z.maxLength(most));
const nonce = text(100);

const Report = z.object({
  nonce,
  status: z._default(z.enum(["done", "failed"]), "done"),
  summary: text(20_000),
  decisions: z.optional(z.array(text(2000))),
  artifacts: z.optional(z.array(text(1000))),
});

const Ask = z.object({
  nonce,
  questions: z
    .array(z.object({ id: text(100), text: text(4000), choices: z.optional(z.array(text(500))) }))
    .check(z.minLength(1), z.maxLength(20)),
});

/**
 * Tools of a session in a run: read the status, claim its phase, report it, ask the user. None of them answers a gate.
 */
export const sessionTools: readonly Tool[] = [
  {
    name: "status",
    title: "Status of the run",
    description: "Status of the open run, and if it waits for the person.",
    schema: z.object({}),
    annotations: READS,
    call: status,
  },
  {
    name: "begin",
    title: "Take the phase to work on",
    description:
      "Task of this session: the current phase with the nonce to report with, or a notice that the run waits for the person. Call it again whenever you have lost the task.",
    schema: z.object({}),
    annotations: { ...WORKS, idempotentHint: true },
    call: (call) => answered(beginWork(openCallProject(call), atWork(call))),
  },
  {
    name: "report",
    title: "Report the phase",
    description:
      "Reports the work of the phase this session holds. Checks and an independent reviewer follow; the answer is what comes next. It cannot answer a gate.",
    schema: Report,
    annotations: WORKS,
    call: (call) => {
      const { nonce: held, ...result } = Report.parse(call.input);
      return answered(
        reportWork(openCallProject(call), atWork(call), { nonce: held, result: AgentResult.parse(result) }),
      );
    },
  },
  {
    name: "ask",
    title: "Ask the person",
    description: "Questions that block the phase. The person answers them; this session waits until then.",
    schema: Ask,
    annotations: WORKS,
    call: (call) => {
      const { nonce: held, questions } = Ask.parse(call.input);
      const result = AgentResult.parse({ status: "needs_input", questions });
      return answered(reportWork(openCallProject(call), atWork(call), { nonce: held, result }));
    },
  },
];

async function status(call: ToolCall): Promise<ToolResult> {
  const project = openCallProject(call);
  const { state } = await currentRun(project);
  const { view, liveness } = await lookAtRun(project, state);
  return { text: statusLines(state, liveness).join("\n"), data: { run: view } };
}

async function answered(work: Promise<SessionState>): Promise<ToolResult> {
  const standing = await work;
  const { lines, json } = sessionAnswer(standing);
  const warnings = standing.warnings.map((warning) => `warning: ${warning}`);
  return { text: [...warnings, ...lines].join("\n"), data: json };
}

/** Opens the project, the same way for every interface of the session. */
export const openCallProject = ({ host }: ToolCall) => openProject(host.cwd, sessionEnvironment(host.env, "mcp"));

/** Identifies the session at work, which receives the progress. */
export function atWork({ host, meta, progress, signal }: ToolCall): AtWork {
  const show = ({ at, step, attempt, text: said }: Progress): void => {
    if (at !== "ended") progress(`${step}${attempt === null ? "" : ` ${attempt}`}: ${said}`.slice(0, 200));
  };
  const thread = meta["threadId"]; // set by Codex
  const session = typeof thread === "string" ? callingThread(host.env, thread) : callingSession(host.env, host.id);
  return { session, progress: { show }, signal };
}

/** Describes an error for the model. */
export function refusedResult(error: unknown): ToolResult {
  if (error instanceof ProblemError) {
    const { what, fix } = describe(error.problem);
    return { text: `${error.problem.code}: ${what} ${fix}`, data: { problem: error.problem }, isError: true };
  }
  if (error instanceof $ZodError) {
    const fields = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return { text: `The input cannot be used: ${fields.join("; ").slice(0, 1000)}`, data: {}, isError: true };
  }
  throw error;
}
