import { inside, shorten } from "../process/progress-text.ts";
import type { ClaudeLine } from "./claude-line.ts";

/** Arguments that describe a call, the most informative first. */
const TELLING = ["file_path", "notebook_path", "command", "pattern", "path", "url", "query", "description", "prompt"];

/** Describes a line in short texts for the user. */
export function progressTexts(line: ClaudeLine, cwd: string): string[] {
  if (line.type === "assistant") {
    return line.message.content.flatMap((block) => {
      if (block.type === "text") return shorten(block.text ?? "");
      const isWork = block.type === "tool_use" && block.name !== "StructuredOutput";
      return isWork ? describeCall(block.name ?? "tool", block.input, cwd) : [];
    });
  }
  if (line.type === "result") {
    return line.permission_denials.flatMap((denial) =>
      describeCall(`Not allowed: ${denial.tool_name}`, denial.tool_input, cwd),
    );
  }
  return [];
}

function describeCall(name: string, input: unknown, cwd: string): string[] {
  const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const telling = TELLING.map((key) => given[key]).find((value) => typeof value === "string");
  return shorten(typeof telling === "string" ? `${name} ${inside(telling, cwd)}` : name);
}
