import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../../core/own-value.ts";
import { nodeFiles, readSmall } from "../../adapters/files/file-system.ts";

const SETTINGS_LIMIT = 1024 * 1024;

/**
 * Returns why settings of Claude Code could answer in the user's place; null if none could. Called when the session
 * starts and at each typed command. The `ConfigChange` hook blocks changes in between.
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

/** Hooks that answer forms or expand prompts, and hooks that call tools, including those of isdlc. */
const couldSpeak = (event: string, groups: unknown): boolean =>
  /^Elicitation|^UserPromptExpansion/.test(event) || JSON.stringify(groups ?? null).includes('"mcp_tool"');

/** Returns undefined if the file is missing, null if it is not JSON. */
function read(file: string): unknown {
  try {
    const bytes = readSmall(nodeFiles, file, SETTINGS_LIMIT);
    return bytes === null ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
