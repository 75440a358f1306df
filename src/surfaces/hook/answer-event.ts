import { join } from "node:path";
import { refuseCommand } from "./guard-command.ts";
import { type GuardedTree, refuseWrite } from "./guard-path.ts";
import { toolKind } from "./known-tools.ts";

/** Event from a host. None of its content is trusted. */
export type HookEvent = Readonly<Record<string, unknown>>;

/** Output of a hook, and the reason if it refuses. A refusal without output is reported by exit code. */
export type HookAnswer = { readonly out: Readonly<Record<string, unknown>> | null; readonly refused: string | null };

export type Situation = GuardedTree & {
  readonly exists: (path: string) => boolean;
  /** True if a process could be the host of this session. */
  readonly mayBeHost: (pid: string) => boolean;
};

const NOTHING: HookAnswer = { out: null, refused: null };

/** Answers one event of a session while a run is open. Decides only by paths, commands and phases, never by intent. */
export function answerEvent(situation: Situation, event: HookEvent): HookAnswer {
  switch (event["hook_event_name"]) {
    case "PreToolUse":
    case "BeforeTool":
      return refusing(event, refuseTool(situation, event));
    case "ConfigChange":
      return blocking(SETTINGS_STAY);
    case "Stop":
    case "AfterAgent":
      return stopping(situation, event);
    case "UserPromptSubmit":
    case "BeforeAgent":
      return reminding(situation, event);
    default:
      return NOTHING;
  }
}

const SETTINGS_STAY =
  "isdlc: the settings of this session do not change while a run is open, as they could switch its hooks off. End the run first, or change them and restart the session";

function refusing(event: HookEvent, reason: string | null): HookAnswer {
  if (reason === null) return NOTHING;
  const refused = `isdlc: ${reason}.`;
  if (event["hook_event_name"] === "BeforeTool") return { out: { decision: "deny", reason: refused }, refused };
  const told = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: refused };
  return { out: { hookSpecificOutput: told }, refused };
}

const blocking = (reason: string): HookAnswer => ({ out: { decision: "block", reason }, refused: null });

/** Returns why a tool may not be used like this now; null if it may. */
export function refuseTool(place: GuardedTree, event: HookEvent): string | null {
  const tool = toText(event["tool_name"]);
  const input = toFields(event["tool_input"]);
  const here = { ...place, cwd: toText(event["cwd"]) || place.cwd };
  const kind = toolKind(tool);
  if (kind === "shell") return refuseShell(here, input);
  if (kind === "write") return first(writtenBy(input), (path) => refuseWrite(here, path));
  if (kind === "typed") return "only the host may call this, for typed commands";
  if (kind === "unknown") return refuseUnknown(here, tool, input);
  return tool === "Skill" ? refuseSkill(input) : null;
}

function refuseSkill(input: HookEvent): string | null {
  const text = JSON.stringify(input);
  const isPersonal = /isdlc:/.test(text) && !/isdlc:(?:status|next|workflow)/.test(text);
  return isPersonal ? "this command is the person's to type" : null;
}

const TIMERS = /^(?:CronCreate|ScheduleWakeup|RemoteTrigger)$/;

/**
 * Refuses an unknown tool, because it may change something: always while nothing may be written, and in a phase by the
 * paths, commands and URLs of its input.
 */
function refuseUnknown(place: GuardedTree, tool: string, input: HookEvent): string | null {
  const name = tool.slice(0, 100) || "this tool";
  const texts = textsIn(input);
  if (TIMERS.test(tool) && texts.some((text) => /isdlc/i.test(text)))
    return "a decision is not put on a timer. The person types it";
  const { marker } = place;
  if (marker === null || marker.wait !== null || marker.writes === "nothing")
    return `${name} may change something, and nothing may change now. Explain the decision to the person`;
  const why = first(texts, (text) => refuseText(place, text));
  return why === null ? null : `${name} may change something: ${why}`;
}

/** Checks an input of an unknown tool as a command, a path and a URL. */
function refuseText(place: GuardedTree, text: string): string | null {
  if (/\b[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "a phase works in this working tree, not at a URL";
  const isPath = text.length < MAX_PATH_CHARS && /^(?:~|\.{0,2}\/|[\w@.-]+\/)[^\s]*$|^[\w@-]*\.[\w.-]+$/.test(text);
  if (isPath) return refuseWrite(place, text);
  return refusePatch(place, text) ?? refuseCommand(place, text);
}

const MAX_PATH_CHARS = 4096;
const MAX_INPUT_DEPTH = 20;
/** Replaces an input nested too deep to read. It is refused like any URL. */
const TOO_DEEP = "nested://";

/** Lists all texts of an input, including keys. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (depth > MAX_INPUT_DEPTH) return [TOO_DEEP];
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one, depth + 1)]);
}

function refuseShell(place: GuardedTree, input: HookEvent): string | null {
  const { command, cmd, chars, workdir, dir_path: folder } = input;
  const here = { ...place, cwd: toText(workdir) || toText(folder) || place.cwd };
  const lines = [command, cmd, chars].flatMap((one) =>
    Array.isArray(one) ? [one.map(toText).join("\n")] : toText(one),
  );
  return first(lines, (line) => refusePatch(here, line) ?? refuseCommand(here, line));
}

/** Checks the paths of a patch, which may also be in a command. */
function refusePatch(place: GuardedTree, text: string): string | null {
  return text.includes("*** Begin Patch") ? first(patched(text), (path) => refuseWrite(place, path)) : null;
}

function writtenBy(input: HookEvent): readonly string[] {
  const named = ["file_path", "notebook_path", "filePath", "path", "absolute_path"].map((name) => toText(input[name]));
  const patches = ["input", "patch", "command", "patchText"].flatMap((name) => patched(toText(input[name])));
  return [...named.filter((path) => path !== ""), ...patches];
}

const patched = (text: string): readonly string[] =>
  [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm)].map(([, path, moved]) =>
    (path ?? moved ?? "").trim(),
  );

/** Blocks the first stop of a session in the middle of its phase. The second one is allowed. */
function stopping(situation: Situation, event: HookEvent): HookAnswer {
  const { marker, root, exists } = situation;
  const isAtWork =
    marker !== null && marker.wait === null && marker.writes !== "nothing" && holds(situation, marker.session, event);
  if (!isAtWork || event["stop_hook_active"] === true) return NOTHING;
  const missing = marker.outputs.filter((path) => !exists(join(root, path)));
  const lacks = missing.length === 0 ? "" : ` Still missing: ${missing.join(", ")}.`;
  return blocking(
    `isdlc: ${marker.phase} is not reported.${lacks} Finish it and call the tool "report" of the isdlc server (or isdlc report); if you are blocked, name the cause and stop again.`,
  );
}

/** A session without an id is named by its host. */
const holds = ({ mayBeHost }: Situation, session: string | null, event: HookEvent): boolean =>
  session !== null && (session === event["session_id"] || mayBeHost(/^process-(\d+)/.exec(session)?.[1] ?? ""));

/** Adds a reminder to a prompt while the run waits for the user. */
function reminding({ marker }: Situation, event: HookEvent): HookAnswer {
  // The result of a typed command already reports whose turn it is.
  if (marker === null || marker.wait === null || toText(event["prompt"]).startsWith("/isdlc:")) return NOTHING;
  const text = `An isdlc run waits for the person (${marker.wait.slice(0, 100)}). Only they answer. Write nothing.`;
  const told = { hookEventName: toText(event["hook_event_name"]), additionalContext: text };
  return { out: { hookSpecificOutput: told }, refused: null };
}

const first = <T>(values: readonly T[], refuse: (value: T) => string | null): string | null =>
  values.map(refuse).find((reason) => reason !== null) ?? null;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

const toFields = (value: unknown): HookEvent =>
  typeof value === "object" && value !== null ? (value as HookEvent) : {}; // an object, checked here
