import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../../core/own-value.ts";
import { nodeFiles, readSmall } from "../../adapters/file-system/file-system.ts";

const SETTINGS_LIMIT = 1024 * 1024;

/**
 * Why settings of Claude Code could speak in the person's place; null where none does. Looked at when the session starts
 * and at each command that was typed: changes between are blocked by the hook that hears of them.
 */
export function speakingSettings(cwd: string, env: NodeJS.ProcessEnv): string | null {
  const home = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
  const files = [
    join(home, "settings.json"),
    join(home, "settings.local.json"),
    join(cwd, ".claude", "settings.json"),
    join(cwd, ".claude", "settings.local.json"),
  ];
  return files.map(speaksIn).find((why) => why !== null) ?? null;
}

function speaksIn(file: string): string | null {
  const settings = read(file);
  if (settings === undefined) return null;
  if (!isRecord(settings)) return `${file} cannot be read`;
  if (settings["disableAllHooks"] === true) return `${file} switches all hooks off`;
  const { hooks = {} } = settings;
  if (!isRecord(hooks)) return `${file} has hooks that cannot be read`;
  const speaking = Object.entries(hooks).find(([event, groups]) => couldSpeak(event, groups));
  return speaking === undefined ? null : `${file} has a hook for ${speaking[0]} that could answer in your place`;
}

/** Answers to forms, and calls of tools: ours among them. */
const couldSpeak = (event: string, groups: unknown): boolean =>
  /^Elicitation|^UserPromptExpansion/.test(event) || JSON.stringify(groups ?? null).includes('"mcp_tool"');

/** Undefined where there is no such file, null where it is not JSON. */
function read(file: string): unknown {
  try {
    const bytes = readSmall(nodeFiles, file, SETTINGS_LIMIT);
    return bytes === null ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
