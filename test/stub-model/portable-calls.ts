import type { ScriptedCall } from "./scenario.ts";

export type ToolCall = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

type Input = ToolCall["input"];
type Shell = { readonly tool: string; readonly input: (command: string) => Input };
type Writer = { readonly tool: string; readonly input: (path: string, content: string) => Input };
type Reader = { readonly tool: string; readonly input: (path: string) => Input };

/** Tools by agent; the first one offered is used. */
const SHELLS: readonly Shell[] = [
  { tool: "Bash", input: (command) => ({ command, description: "scripted" }) }, // Claude Code
  { tool: "exec_command", input: (cmd) => ({ cmd }) }, // Codex
  { tool: "run_shell_command", input: (command) => ({ command, description: "scripted" }) }, // Gemini CLI
  { tool: "bash", input: (command) => ({ command, description: "scripted" }) }, // opencode
];
const WRITERS: readonly Writer[] = [
  { tool: "Write", input: (file_path, content) => ({ file_path, content }) },
  { tool: "write_file", input: (file_path, content) => ({ file_path, content }) },
  { tool: "write", input: (filePath, content) => ({ filePath, content }) },
];
const READERS: readonly Reader[] = [
  { tool: "Read", input: (file_path) => ({ file_path }) },
  { tool: "read_file", input: (file_path) => ({ file_path }) },
  { tool: "read", input: (filePath) => ({ filePath }) },
];

/**
 * The call with the tools that the agent offers; for files without such a tool, through its shell. A tool that it
 * does not offer is called by Claude's name, like a model that violates its instructions.
 */
export function toToolCall(call: ScriptedCall, offered: readonly string[]): ToolCall {
  if ("tool" in call) return call;
  const pick = <Tool extends { tool: string }>(tools: readonly Tool[]): Tool | undefined =>
    tools.find(({ tool }) => offered.includes(tool));
  const shell = pick(SHELLS);
  const inShell = (command: string): ToolCall | undefined => shell && { tool: shell.tool, input: shell.input(command) };
  if ("shell" in call) return inShell(call.shell) ?? unoffered("Bash", { command: call.shell });
  if ("read" in call) {
    const reader = pick(READERS);
    if (reader !== undefined) return { tool: reader.tool, input: reader.input(call.read) };
    return inShell(`cat ${quote(call.read)}`) ?? unoffered("Read", { file_path: call.read });
  }
  const { path, content } = call.write;
  const writer = pick(WRITERS);
  if (writer !== undefined) return { tool: writer.tool, input: writer.input(path, content) };
  const folder = `mkdir -p "$(dirname ${quote(path)})"`;
  const written = inShell(`${folder} && printf '%s' ${quote(content)} > ${quote(path)}`);
  return written ?? unoffered("Write", { file_path: path, content });
}

const unoffered = (tool: string, input: Input): ToolCall => ({ tool, input });

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
