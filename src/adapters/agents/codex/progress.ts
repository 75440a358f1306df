import type { AgentSign } from "../../../schema/agent.ts";
import { parseJson } from "./output.ts";
import type { CodexLine, Item } from "./output.ts";
import { inside, shorten } from "../../process/told-usage.ts";

/** Describes a line in short texts for the user. */
export function progressTexts(line: CodexLine, cwd: string): string[] {
  switch (line.type) {
    case "item.started":
      return line.item.type === "command_execution" ? shorten(`Run ${withoutShell(line.item.command)}`) : [];
    case "item.completed": {
      const denied = deniedCommand(line);
      return denied === null ? itemTexts(line.item, cwd) : [`Not allowed: ${denied}`];
    }
    case "error": // the last one is reported as the failure, earlier ones as signs
    case "thread.started":
    case "turn.completed":
    case "turn.failed":
      return [];
    default:
      return line satisfies never;
  }
}

/**
 * Returns the sign of progress or trouble in a line; undefined for most lines. `hasCalled` is true if the model
 * answered since the last line.
 */
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
 * Returns a command that failed because of the sandbox, as far as its output shows; otherwise null. No rule is
 * suggested to allow it: rules would run it outside the sandbox and are ignored.
 */
export function deniedCommand(line: CodexLine): string | null {
  if (line.type !== "item.completed" || line.item.type !== "command_execution") return null;
  const { command, exit_code: code, aggregated_output: output } = line.item;
  const isDenied = typeof code === "number" && code !== 0 && KEPT_OUT.test((output ?? "").slice(-MAX_OUTPUT_LENGTH));
  return isDenied ? (shorten(withoutShell(command))[0] ?? null) : null;
}

const KEPT_OUT = /Read-only file system|sandbox denied|Operation not permitted|Network is unreachable/i;
/** Characters; the reason of a failure is at the end. */
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
    case "command_execution": // shown when it started
      return [];
    default:
      return item satisfies never;
  }
}

/** The result is also sent as a message, and displayed elsewhere. */
function isResult(text: string): boolean {
  const value = text.trimStart().startsWith("{") ? parseJson(text) : null;
  return value !== null;
}

/** Removes the user's shell, which wraps every command. */
const withoutShell = (command: string): string => command.replace(/^\S*sh -l?c (?='|")/, "");
