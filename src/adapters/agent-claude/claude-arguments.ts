import { toJSONSchema } from "zod/mini";
import type { AgentTask } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";
import { commandRule } from "./command-rule.ts";

/** Whether to begin a conversation under this id or to go on with it. */
export type Conversation = { readonly id: string; readonly begins: boolean };

/** Arguments for one execution. The prompt is no part of them: it goes in on stdin. */
export function claudeArguments(task: AgentTask, conversation: Conversation): string[] {
  return [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages", // tells what each call to the model used, while it runs
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

/** Other tools are not even offered, what would need a question is refused, and no server of the person's is started. */
const READ_ONLY = ["--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--strict-mcp-config"];

/**
 * Edits inside the working directory, and the one command that runs the tests. Reading with git needs no rule: Claude
 * Code knows which calls only read, whereas a rule such as `Bash(git diff:*)` would let `git diff --output=<any file>`
 * pass. What the person's own settings allow comes on top.
 */
function writing(tests: AgentTask["tests"]): string[] {
  const rule = tests === null ? null : commandRule(tests);
  return ["--permission-mode", "acceptEdits", ...(rule === null ? [] : ["--allowedTools", rule])];
}

/**
 * Without a terminal nobody is asked whether the folder is trusted: its settings would run hooks and start servers.
 * The price: CLAUDE.md of the repository is not loaded by itself either.
 */
const DISTRUST_REPOSITORY = ["--setting-sources", "user"];

function limitArguments({ turns, usd }: AgentTask["limits"]): string[] {
  return [
    ...(turns === null ? [] : ["--max-turns", String(turns)]),
    ...(usd === null ? [] : ["--max-budget-usd", String(usd)]),
  ];
}

/** Draft 7, and what the agent may leave out is optional: the form Claude Code checks against. */
function resultSchema(role: AgentTask["role"]): unknown {
  return toJSONSchema(role === "phase" ? AgentResult : Verdict, { target: "draft-7", io: "input" });
}
