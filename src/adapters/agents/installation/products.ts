import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { OWN, ownPath } from "../../../core/own-folder.ts";
import { SESSION_PROMPTS } from "../../../core/session-prompts.ts";
import type { FileChange } from "./installed-files.ts";
import { type HookCommands, installedHookCommands } from "./hook-commands.ts";
import { SERVER_VARIABLES } from "./server-variables.ts";

export const PRODUCTS = ["claude", "codex", "gemini", "opencode"] as const;
export type Product = (typeof PRODUCTS)[number];

export type Placement = {
  /** Folder of the installed package. */
  readonly package: string;
  readonly env: NodeJS.ProcessEnv;
  /** Working tree whose settings are written. Null for the user's own settings. */
  readonly project: string | null;
};

/** Returns the files of an integration and their edits. */
export function planIntegration(product: Product, placement: Placement): readonly FileChange[] {
  return integrations[product](placement);
}

const integrations: { readonly [P in Product]: (placement: Placement) => readonly FileChange[] } = {
  claude: (at) => [
    {
      file: join(
        ownFolder(at, "CLAUDE_CONFIG_DIR", ".claude"),
        at.project === null ? "settings.json" : "settings.local.json",
      ),
      edit: {
        is: "values",
        values: [
          [["extraKnownMarketplaces", "isdlc"], { source: { source: "directory", path: at.package } }],
          [["enabledPlugins", "isdlc@isdlc"], true],
        ],
      },
    },
  ],
  codex: (at) => {
    const folder = ownFolder(at, "CODEX_HOME", ".codex");
    return [
      { file: join(folder, "config.toml"), edit: { is: "block", text: codexServer(at) } },
      { file: join(folder, "hooks.json"), edit: { is: "members", members: codexHooks(hookCommands(at)) } },
      skillIn(join(folder, "skills"), at),
    ];
  },
  gemini: (at) => {
    const folder = join(at.project ?? homeFolder(at), ".gemini", "extensions", "isdlc");
    return [
      { file: join(folder, "gemini-extension.json"), edit: { is: "whole", text: geminiExtension(at) } },
      { file: join(folder, "hooks", "hooks.json"), edit: { is: "whole", text: geminiHooks(hookCommands(at)) } },
      skillIn(join(folder, "skills"), at),
      ...SESSION_PROMPTS.map(({ name, description, text }) => ({
        file: join(folder, "commands", "isdlc", `${name}.toml`),
        edit: { is: "whole" as const, text: `description = ${quoted(description)}\nprompt = ${quoted(text)}\n` },
      })),
    ];
  },
  opencode: (at) => {
    const config = at.env["XDG_CONFIG_HOME"] ?? join(homeFolder(at), ".config");
    const [settings, folder] =
      at.project === null
        ? [join(config, "opencode", "opencode.json"), join(config, "opencode")]
        : [join(at.project, "opencode.json"), join(at.project, ".opencode")];
    const server = { type: "local", command: ["node", programPath(at), "mcp"], enabled: true };
    return [
      { file: settings, edit: { is: "values", values: [[["mcp", "isdlc"], server]] } },
      { file: join(folder, "plugin", "isdlc.js"), edit: { is: "whole", text: opencodePlugin(at) } },
      skillIn(join(folder, "skills"), at),
      ...SESSION_PROMPTS.map(({ name, description, text }) => ({
        file: join(folder, "commands", `isdlc-${name}.md`),
        edit: { is: "whole" as const, text: `---\ndescription: ${description}\n---\n${text}\n` },
      })),
    ];
  },
};

const homeFolder = ({ env }: Placement): string => env["HOME"] ?? homedir();
const programPath = (at: Placement): string => join(at.package, "dist", "bin", "isdlc.cjs");
const hookPath = (at: Placement): string => join(at.package, "dist", "bin", "hook.cjs");
const hookCommands = (at: Placement): HookCommands => installedHookCommands(hookPath(at), programPath(at));

function ownFolder(at: Placement, variable: string, name: string): string {
  return at.project === null ? (at.env[variable] ?? join(homeFolder(at), name)) : join(at.project, name);
}

/** The skill of the Claude Code plugin, under a name that needs no plugin around it. */
const skillIn = (skills: string, at: Placement): FileChange => {
  const text = readFileSync(join(at.package, "plugin", "skills", "workflow", "SKILL.md"), "utf8");
  return {
    file: join(skills, "isdlc", "SKILL.md"),
    edit: { is: "whole", text: text.replace(/^name: .*$/m, "name: isdlc") },
  };
};

const quoted = (text: string): string => JSON.stringify(text); // a basic string of TOML has the same escapes

const codexServer = (at: Placement): string =>
  `[mcp_servers.isdlc]\ncommand = "node"\nargs = [${quoted(programPath(at))}, "mcp"]\nenv_vars = ${JSON.stringify(SERVER_VARIABLES)}\ntool_timeout_sec = 3600\n`;

function codexHooks({ closed, open, start }: HookCommands): [string[], unknown][] {
  const group = (command: string) => ({ hooks: [{ type: "command", command, timeout: 10 }] });
  return [
    [["hooks", "SessionStart"], group(start)],
    [["hooks", "PreToolUse"], group(closed)],
    [["hooks", "UserPromptSubmit"], group(open)],
    [["hooks", "Stop"], group(open)],
  ];
}

const ABOUT = "Takes this session through a software life cycle with gates that no model can open";

function geminiExtension(at: Placement): string {
  const server = { command: "node", args: [programPath(at), "mcp"], timeout: 3_600_000 };
  return `${JSON.stringify({ name: "isdlc", version: "1.0.0", description: ABOUT, mcpServers: { isdlc: server } }, null, 2)}\n`;
}

function geminiHooks({ closed, open, start }: HookCommands): string {
  const group = (command: string) => [
    { matcher: "*", hooks: [{ name: "isdlc", type: "command", command, timeout: 10_000 }] },
  ];
  const hooks = {
    SessionStart: group(start),
    BeforeTool: group(closed),
    BeforeAgent: group(open),
    AfterAgent: group(open),
  };
  return `${JSON.stringify({ hooks }, null, 2)}\n`;
}

/** opencode has no hook commands. A plugin calls the same guard, and throws if it refuses or fails. */
const opencodePlugin = (at: Placement): string => `// Made by isdlc install, taken away by isdlc uninstall.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const HOOK = ${quoted(hookPath(at))};
const PROGRAM = ${quoted(programPath(at))};

const node = (args, more) =>
  spawnSync("node", args, { env: { ...process.env, NODE_EXTRA_CA_CERTS: "", NODE_OPTIONS: "" }, encoding: "utf8", timeout: 5000, ...more });

function rootOf(folder) {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ${quoted(ownPath(OWN.active))}))) return at;
    if (at === dirname(at)) return null;
  }
}

/** Where the work stands, asked again whenever that changed. */
function standing(directory) {
  let last = { changed: null, text: "" };
  return () => {
    const root = process.env.ISDLC_NONCE ? null : rootOf(directory);
    if (root === null) return "";
    const changed = statSync(join(root, ${quoted(ownPath(OWN.active))}), { throwIfNoEntry: false })?.mtimeMs ?? null;
    if (changed !== last.changed) {
      const { status, stdout } = node([PROGRAM, "hook", "session-start"], { cwd: directory });
      last = { changed, text: status === 0 ? stdout.trim() : "" };
    }
    return last.text;
  };
}

const told = (stands) => async (_input, { system }) => {
  const text = stands();
  if (text !== "") system.push(text);
};

export const isdlc = async ({ directory }) => ({
  "experimental.chat.system.transform": told(standing(directory)),
  "tool.execute.before": async ({ tool, sessionID }, { args }) => {
    const root = process.env.ISDLC_NONCE ? null : rootOf(directory);
    if (root === null) return;
    const input = JSON.stringify({ hook_event_name: "PreToolUse", session_id: sessionID, cwd: directory, tool_name: tool, tool_input: args });
    const { status, stdout } = node([HOOK, root], { input });
    if (status !== 0) throw new Error("isdlc: its guard failed, so nothing may change while a run is open");
    const refused = stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput?.permissionDecisionReason;
    if (refused !== undefined) throw new Error(refused);
  },
});
`;
