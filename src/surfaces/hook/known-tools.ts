/** How the guard treats a tool of an agent product. */
type ToolKind = "shell" | "write" | "read" | "session" | "typed" | "unknown";

/** Tools by product: Claude Code, Codex, Gemini CLI, opencode. */
type ToolNames = readonly [claude: string, codex: string, gemini: string, opencode: string];

/** Tools that run commands. The guard checks their command line. */
const SHELL_TOOLS: ToolNames = [
  "Bash Monitor",
  "shell local_shell exec_command write_stdin",
  "run_shell_command",
  "bash",
];

/** Tools that write files. The guard checks their paths. */
const WRITING_TOOLS: ToolNames = [
  "Write Edit MultiEdit NotebookEdit",
  "apply_patch",
  "write_file replace",
  "write edit multiedit patch",
];

/**
 * Tools that change no file, no repository and no other session. An agent started by a tool belongs to the same
 * session, and the guard checks each of its tool calls.
 */
const READING_TOOLS: ToolNames = [
  `Read Grep Glob WebFetch WebSearch ToolSearch DeferredToolPlaceholder WaitForMcpServers
   ListMcpResourcesTool ReadMcpResourceTool ReadMcpResourceDirTool CronList ListAgents TaskCreate
   TaskGet TaskList TaskOutput TaskStop TaskUpdate Agent Task Skill AskUserQuestion EnterPlanMode ExitPlanMode
   ReportFindings StructuredOutput`,
  `view_image update_plan request_user_input web_search get_goal spawn_agent wait_agent close_agent
   resume_agent send_input list_mcp_resources list_mcp_resource_templates read_mcp_resource`,
  `list_directory read_file read_many_files grep_search web_fetch google_web_search write_todos
   enter_plan_mode exit_plan_mode update_topic ask_user list_background_processes read_background_output invoke_agent
   activate_skill`,
  "glob grep list read skill task todoread todowrite webfetch websearch question",
];

/** Known tools that may change something. The guard refuses them like unknown ones. */
const CHANGING_TOOLS: ToolNames = [
  "CronCreate CronDelete ScheduleWakeup RemoteTrigger SendMessage Workflow EnterWorktree ExitWorktree",
  "create_goal update_goal",
  "",
  "",
];

const namesIn = (tools: ToolNames): readonly string[] => tools.join(" ").split(/\s+/).filter(Boolean);

/** Codex offers each of these as one tool with several functions. */
const GROUPS = ["mcp__isdlc", "multi_agent_v1"];

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ...namesIn(SHELL_TOOLS).map((name) => [name, "shell"] as const),
  ...namesIn(WRITING_TOOLS).map((name) => [name, "write"] as const),
  ...namesIn(READING_TOOLS).map((name) => [name, "read"] as const),
]);

/** Tools of isdlc's own server, as named by each product. */
const OWN_TOOL = /^(?:mcp_{1,2})?(?:plugin_)?isdlc(?:_isdlc)?(?:__?|\.)(begin|report|ask|status|typed)$/;

export function toolKind(fullName: string): ToolKind {
  const name = fullName.replace(/^multi_agent_v1\W*_*/, ""); // a group of tools of Codex
  const known = KINDS.get(name);
  if (known !== undefined) return known;
  const own = OWN_TOOL.exec(name)?.[1];
  if (own === "typed" || name === "typed") return "typed";
  return own === undefined ? "unknown" : "session";
}

/** True for a tool that was classified by name. */
export const isKnownTool = (name: string): boolean =>
  toolKind(name) !== "unknown" || [...namesIn(CHANGING_TOOLS), ...GROUPS].includes(name);
