import * as z from "zod/mini";
import type { AgentEnd, AgentTask } from "../../../ports/agent-backend.ts";
import { AgentResult, type Usage, Verdict } from "../../../schema/agent.ts";
import {
  exitText,
  type ExecutionFailure,
  failed,
  readResult,
  stopped,
  type ExecutionResult,
} from "../../process/execution-end.ts";
import type { Line } from "../../process/line-splitter.ts";
import type { AgentProcessEnd } from "../../process/start-agent-process.ts";

const PROTOCOL = 1;
/** Characters of one progress text. */
const MAX_REPORTED_PROGRESS_LENGTH = 4000;

/** Returns the one JSON object that the program reads from its input. */
export function requestText(task: AgentTask): string {
  const { role, attempt, ticket, iteration, phase, workflow, item, persona, prompt, access, artifacts } = task;
  const schema = z.toJSONSchema(resultSchema(role), { io: "input" });
  const about = { protocol: PROTOCOL, role, attempt, ticket, iteration, phase, workflow, item };
  return `${JSON.stringify({ ...about, persona, prompt, access, expects: { artifacts, schema } })}\n`;
}

const count = z._default(z.nullable(z.number().check(z.nonnegative())), null);
/** Accepted as a whole or not at all: the budget would rely on a wrong count. */
const SentUsage = z.object({ input: count, output: count, usd: count });
const tellsUsage = z.object({ usage: z.optional(SentUsage) });
const PhaseAnswer = z.extend(AgentResult, tellsUsage.shape);
const ReviewerAnswer = z.extend(tellsUsage, { verdict: Verdict });

const resultSchema = (role: AgentTask["role"]) => (role === "phase" ? PhaseAnswer : ReviewerAnswer);

export type CommandLine =
  | { readonly is: "progress"; readonly text: string }
  | { readonly is: "result"; readonly result: object }
  | { readonly is: "nothing" };

/**
 * Parses a line. Lines without a JSON object are shown as progress; objects of unknown types are reserved for later
 * protocols.
 */
export function readCommandLine({ text, cut }: Line): CommandLine {
  const value = cut ? null : parsedObject(text);
  if (value === null) return text.trim() === "" ? { is: "nothing" } : progress(text);
  if ("type" in value && value.type === "result") return { is: "result", result: value };
  if ("type" in value && value.type === "progress" && "text" in value && typeof value.text === "string") {
    return progress(value.text);
  }
  return { is: "nothing" };
}

export type CommandOutcome = {
  readonly process: AgentProcessEnd;
  /** Result lines of the program. More than one is invalid. */
  readonly results: readonly object[];
};

/** Accepts a result only if it is the only one, fits our schema, and the program exited with code 0 afterwards. */
export function commandEnd(outcome: CommandOutcome, task: AgentTask): AgentEnd {
  const usage = readUsage(outcome.results.at(-1));
  const { process } = outcome;
  const told = stopped(process, task) ?? (process.exitCode === 0 ? judged(outcome, task.role) : badExit(process));
  return { type: "end", usage, session: null, ...told };
}

const badExit = (end: AgentProcessEnd): ExecutionFailure => failed("bad_exit", exitText(end), true);

function judged({ process, results }: CommandOutcome, role: AgentTask["role"]): ExecutionResult {
  const [result, second] = results;
  if (result === undefined) return failed("no_result", `it ended without a result. ${process.stderrTail}`, true);
  if (second !== undefined) return failed("invalid_result", `it sent ${results.length} results instead of one`, true);
  return role === "phase" ? readResult(result, role) : reviewerResult(result);
}

/** Ignores the verdict of a reviewer that reports a failure. */
function reviewerResult(result: object): ExecutionResult {
  if ("status" in result && result.status === "failed") {
    const summary = "summary" in result ? String(result.summary) : "";
    return failed("agent_failed", summary || "the reviewer says that it failed", true);
  }
  if (!("verdict" in result)) return failed("invalid_result", "the result of a reviewer carries no verdict", true);
  return readResult(result.verdict, "reviewer");
}

function readUsage(result: object | undefined): Usage | null {
  const sent = result !== undefined && "usage" in result ? result.usage : null;
  if (sent === null) return null;
  const parsed = z.safeParse(SentUsage, sent);
  return parsed.success ? parsed.data : NONSENSE;
}

/** Invalid counts. Unlike missing usage, they make a run with a budget ask the user. */
const NONSENSE: Usage = { input: Number.NaN, output: Number.NaN, usd: Number.NaN };

const progress = (text: string): CommandLine => ({ is: "progress", text: text.slice(0, MAX_REPORTED_PROGRESS_LENGTH) });

function parsedObject(text: string): object | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(text) as object; // starts with a brace: always an object
  } catch {
    return null;
  }
}
