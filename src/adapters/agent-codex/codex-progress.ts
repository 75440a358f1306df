import type { AgentSign } from "../../schema/agent.ts";
import { inside, shorten } from "../process/progress-text.ts";
import { parseJson } from "./codex-line.ts";
import type { CodexLine, Item } from "./codex-line.ts";

/** What a line tells a person who watches, in short texts. */
export function progressTexts(line: CodexLine, cwd: string): string[] {
  switch (line.type) {
    case "item.started":
      return line.item.type === "command_execution" ? shorten(`Run ${withoutShell(line.item.command)}`) : [];
    case "item.completed": {
      const denied = deniedCommand(line);
      return denied === null ? itemTexts(line.item, cwd) : [`Not allowed: ${denied}`];
    }
    case "error": // the last one is told as the failure, those before it as signs
    case "thread.started":
    case "turn.completed":
    case "turn.failed":
      return [];
    default:
      return line satisfies never;
  }
}

/** What a line says about how the work goes; undefined for most. `hasCalled`: the model answered since the last line. */
export function readSign(line: CodexLine, hasCalled: boolean): AgentSign | undefined {
  if (line.type === "error" && line.message.startsWith("Reconnecting")) return trouble(line.message);
  if (line.type === "item.completed" && isWork(line.item)) return { is: "work" };
  return hasCalled ? { is: "call" } : undefined;
}

/** `Reconnecting... 2/5 (stream disconnected before completion)` */
function trouble(message: string): AgentSign {
  const why = /\((.+)\)\s*$/.exec(message)?.[1] ?? message;
  return { is: "trouble", what: shorten(why)[0] ?? "no answer" };
}

function isWork(item: Item): boolean {
  if (item.type === "command_execution") return item.exit_code === 0;
  return item.type === "file_change" || item.type === "mcp_tool_call";
}

/**
 * A command that failed on what the sandbox does not let it do, as far as its output says so; null for all else. There
 * is no rule that would allow it: rules would run it outside of the sandbox, so they do not count here.
 */
export function deniedCommand(line: CodexLine): string | null {
  if (line.type !== "item.completed" || line.item.type !== "command_execution") return null;
  const { command, exit_code: code, aggregated_output: output } = line.item;
  const isDenied = typeof code === "number" && code !== 0 && KEPT_OUT.test((output ?? "").slice(-MAX_OUTPUT_LENGTH));
  return isDenied ? (shorten(withoutShell(command))[0] ?? null) : null;
}

const KEPT_OUT = /Read-only file system|sandbox denied|Operation not permitted|Network is unreachable/i;
/** Characters; why a command failed is said at its end. */
const MAX_OUTPUT_LENGTH = 4000;

function itemTexts(item: Item, cwd: string): string[] {
  switch (item.type) {
    case "agent_message":
      return isResult(item.text) ? [] : shorten(item.text);
    case "file_change":
      return item.changes.flatMap(({ kind, path }) => shorten(`File ${kind} ${inside(path, cwd)}`));
    case "mcp_tool_call":
      return shorten(`Tool ${item.server}.${item.tool}`);
    case "web_search":
      return shorten(`Search ${item.query}`);
    case "error":
      return shorten(item.message);
    case "command_execution": // told when it began
      return [];
    default:
      return item satisfies never;
  }
}

/** The result comes as a message too, and is shown elsewhere. */
function isResult(text: string): boolean {
  const value = text.trimStart().startsWith("{") ? parseJson(text) : null;
  return value !== null;
}

/** Every command is wrapped in the person's shell, which tells nothing. */
const withoutShell = (command: string): string => command.replace(/^\S*sh -l?c (?='|")/, "");
