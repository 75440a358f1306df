import { toJSONSchema } from "zod/mini";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../../schema/agent.ts";
import { shellWord } from "../../../core/command-line.ts";

/** Conversation to start under this id, or to resume. */
export type Conversation = { readonly id: string; readonly begins: boolean };

/** Returns the arguments for one execution. The prompt is sent on stdin instead. */
export function claudeArguments(task: AgentTask, conversation: Conversation): string[] {
  return [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages", // reports the usage of each call to the model during the execution
    "--json-schema",
    JSON.stringify(resultSchema(task.role)),
    ...(task.persona === "" ? [] : ["--append-system-prompt", task.persona]),
    ...(task.access === "read" ? READ_ONLY : writing(task.tests)),
    ...DISTRUST_REPOSITORY,
    ...limitArguments(task.limits),
    conversation.begins ? "--session-id" : "--resume",
    conversation.id,
  ];
}

/** Offers no other tools, refuses calls that need a question, and starts none of the user's MCP servers. */
const READ_ONLY = ["--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--strict-mcp-config"];

/**
 * Allows edits inside the working directory and the one test command. Reading with git needs no rule: Claude Code
 * recognizes read-only calls, whereas a rule such as `Bash(git diff:*)` would also allow `git diff --output=<any
 * file>`. The user's own settings may allow more.
 */
function writing(tests: AgentTask["tests"]): string[] {
  const rule = tests === null ? null : commandRule(tests);
  return ["--permission-mode", "acceptEdits", ...(rule === null ? [] : ["--allowedTools", rule])];
}

/**
 * Without a terminal, Claude Code does not ask if the folder is trusted: settings of the repository would run hooks
 * and start servers. As a side effect, CLAUDE.md of the repository is not loaded automatically.
 */
const DISTRUST_REPOSITORY = ["--setting-sources", "user"];

function limitArguments({ turns, usd }: AgentTask["limits"]): string[] {
  return [
    ...(turns === null ? [] : ["--max-turns", String(turns)]),
    ...(usd === null ? [] : ["--max-budget-usd", String(usd)]),
  ];
}

/** Draft 7, with optional fields for values that the agent may omit: the form validated by Claude Code. */
function resultSchema(role: AgentTask["role"]): unknown {
  return toJSONSchema(role === "phase" ? AgentResult : Verdict, { target: "draft-7", io: "input" });
}

/**
 * Returns the rule that allows exactly this command. Null if it would allow more, or if a shell would not run the
 * command as written: in a rule, `*` matches anything and a bracket ends it; a first word with `=` sets a variable.
 */
function commandRule(argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (program === "" || program.includes("=")) return null;
  return argv.every((word) => EXACT.test(word)) ? `Bash(${argv.map(shellWord).join(" ")})` : null;
}

/** Other characters, including quotes, may be interpreted differently by a shell and by Claude Code. */
const EXACT = /^[A-Za-z0-9_@%+=:,./ -]+$/;
