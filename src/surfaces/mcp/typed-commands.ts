import { SPEC_PHASES } from "../../core/spec/spec-phases.ts";
import * as z from "zod/mini";
import { authorize, type Credential } from "../../app/authorize/authorize.ts";
import { currentRun } from "../../app/project/current-run.ts";
import { driveForSession } from "../../app/session/session-work.ts";
import { proveSystemChannel } from "../../adapters/identity/host-channel.ts";
import { sessionEnvironment } from "../../compose/calling-session.ts";
import { describe, ProblemError } from "../../core/problem.ts";
import { sessionAnswer } from "../../views/session-answer.ts";
import { statusLines } from "../../views/status.ts";
import { ChoicesNeeded } from "../../app/choice.ts";
import { choicesResult } from "../cli/grammar/choice.ts";
import { parse } from "../cli/grammar/parse.ts";
import type { Result } from "../cli/invocation/verb.ts";
import { problemResult } from "../cli/main/run-cli.ts";
import { findImplementation } from "../cli/main/verbs.ts";
import { speakingSettings } from "./host-settings.ts";
import { atWork, openCallProject } from "./session-tools.ts";
import type { ServedHost, Tool, ToolCall, ToolResult } from "./tool.ts";

const Typed = z.object({
  command: z.string(),
  args: z._default(z.string(), ""),
  source: z._default(z.string(), ""),
});

/** Commands that start a run. This session works on its phases. */
const STARTS: readonly string[] = ["feature", "fix", "build", "analyze", ...SPEC_PHASES];
/** Commands that answer the open wait. This session's work continues after them. */
const ANSWERS: readonly string[] = ["continue", "review", "redo", "retry", "skip", "answer"];
const OTHERS: readonly string[] = ["add", "cancel"];

/**
 * Runs a command typed by the user at the host's prompt. The host expands such a command only if it was typed, and
 * marks every call of a model. A call is refused if it has a mark, if settings could answer in the user's place, if
 * the command is not from the isdlc plugin, if it may not come from the host's main process (`proveHostChannel`), or if
 * the session has no user at a terminal.
 */
export function createTypedTool(host: ServedHost): Tool {
  const atStart = speakingSettings(host.cwd, host.env);
  return {
    name: "typed",
    title: "For the host only",
    description: "Not for models: refused unless the host itself calls it for a command that the person typed.",
    schema: Typed,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    call: (call) => typed(call, atStart ?? speakingSettings(host.cwd, host.env)),
  };
}

async function typed(call: ToolCall, settings: string | null): Promise<ToolResult> {
  if (Object.keys(call.meta).some((key) => key !== "progressToken"))
    return { text: "Refused: only the host may call this, for commands typed by the person.", data: {}, isError: true };
  const { command, args, source } = Typed.parse(call.input);
  const verb = command.replace(/^isdlc:/, "");
  if (![...STARTS, ...ANSWERS, ...OTHERS].includes(verb)) return hookResult({});
  if (settings !== null) return blocked(`${settings}. ${elsewhere(verb)}`);
  if (source !== "plugin") return blocked(`the command /${command.slice(0, 60)} does not come from the isdlc plugin`);
  const project = openCallProject(call);
  const channel = proveSystemChannel(project.folders.state);
  if (!channel.ok) return blocked(`this server cannot verify that you typed it: ${channel.why}. ${elsewhere(verb)}`);
  const credential: Credential = { is: "prompt", pid: channel.host.pid };
  const judged = await authorize(project, credential, { verb });
  if (!judged.ok) return blocked(`${describe(judged.problem).what} ${elsewhere(verb)}`);
  return told(await carryOut(call, { verb, args, credential }));
}

const elsewhere = (verb: string): string => `Run it in a terminal of your own: isdlc ${verb}`;

type TypedCommand = { readonly verb: string; readonly args: string; readonly credential: Credential };

async function carryOut(call: ToolCall, { verb, args, credential }: TypedCommand): Promise<Result> {
  try {
    const { cwd } = call.host;
    const env = sessionEnvironment(call.host.env, verb);
    const io = { out: () => {}, err: call.progress, interactive: false, color: false, columns: 80, rows: 24 };
    const parsed = parse(wordsFor(verb, args.trim()));
    const run = findImplementation(verb);
    if (parsed.verb === null || run === undefined)
      return problemResult({ code: "USAGE", detail: verb, usage: "isdlc" });
    const result = await run({
      verb: parsed.verb,
      values: parsed.values,
      words: parsed.words,
      cwd,
      env,
      io,
      credential,
    });
    return ANSWERS.includes(verb) && verb !== "review" && result.code !== 1 ? await continueRun(call) : result;
  } catch (error) {
    if (error instanceof ChoicesNeeded) return { ...choicesResult(error.choices, false), code: 1 };
    if (error instanceof ProblemError) return problemResult(error.problem);
    throw error;
  }
}

/**
 * Continues the run after an answer, with checks, commits and merges, until it is the session's turn or waits for the
 * user.
 */
async function continueRun(call: ToolCall): Promise<Result> {
  const project = openCallProject(call);
  const { state } = await currentRun(project);
  if (state.is !== "active") return { code: 0, lines: statusLines(state, { driven: false }), json: {} };
  const standing = await driveForSession(project, atWork(call));
  const { turn, lines } = sessionAnswer(standing);
  return { code: 0, lines: turn === "engine" ? [NOW_YOU] : lines, json: {} };
}

const NOW_YOU = 'It is this session\'s turn: call the tool "begin" of the isdlc server and do what it says.';

/** Returns the words as the user would type them in a terminal. */
function wordsFor(verb: string, args: string): readonly string[] {
  const words = splitTyped(args);
  const text = words.length === 1 ? (words[0] ?? "") : args;
  if (verb === "cancel") return [verb, "--reason", text];
  if (verb === "redo") return [verb, "--record-only", "--", text];
  if (ANSWERS.includes(verb)) return [verb, ...(verb === "review" ? [] : ["--record-only"]), ...words];
  if (!STARTS.includes(verb)) return [verb, ...words];
  return [verb, ...(words.includes("--agent") ? [] : ["--agent", "session"]), ...words];
}

function told({ code, lines }: Result): ToolResult {
  const text = lines.join("\n");
  if (code === 1 || code === 2) return blocked(text.slice(0, 700));
  const context = { hookEventName: "UserPromptExpansion", additionalContext: `isdlc: ${text}`.slice(0, 3000) };
  return hookResult({ systemMessage: `isdlc: ${lines[0] ?? "done"}`.slice(0, 300), hookSpecificOutput: context });
}

const blocked = (reason: string): ToolResult => hookResult({ decision: "block", reason: `isdlc: ${reason}` });

const hookResult = (answer: Readonly<Record<string, unknown>>): ToolResult => ({
  text: JSON.stringify(answer),
  data: answer,
});

/** Splits the user's text after a command at spaces, and removes quotation marks around a word or title. */
export function splitTyped(text: string): readonly string[] {
  const words = text.matchAll(/(?:"([^"]*)"|'([^']*)'|(\S+))(?=\s|$)|(\S+)/g);
  return [...words].map(([, double, single, plain, rest]) => double ?? single ?? plain ?? rest ?? "");
}
