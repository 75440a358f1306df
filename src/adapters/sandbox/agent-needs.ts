import { basename, join } from "node:path";
import { codexHome } from "../agents/codex/conversation.ts";
import type { Environment } from "../process/child-environment.ts";

/** Paths in the user's home that an agent product needs, absolute. Missing paths are skipped. */
export type AgentNeeds = {
  readonly read: readonly string[];
  /**
   * Folders that start empty in each execution and are discarded after it: their content could start programs later.
   */
  readonly emptied: readonly string[];
  readonly write: readonly string[];
  /** Writable folders, created if missing. Their content must outlive an execution. */
  readonly make: readonly string[];
  /** Read-only paths under writable ones: files that select programs, also for the user's next session. */
  readonly locked: readonly string[];
};

/** Returns the needs of an agent by its name or its program. Unknown agents need nothing. */
export function agentNeeds(agent: string, env: Environment, home: string): AgentNeeds {
  const product = /^[a-z]+/.exec(basename(agent).toLowerCase())?.[0] ?? "";
  const needs = Object.hasOwn(products, product) ? products[product] : undefined;
  return needs?.(agentPlaces(env, home)) ?? NOTHING;
}

const SETTINGS_FILE = /(?:^|\/)(?:[^/]+\.(?:toml|jsonc?)|\.env)$/;

/** Returns the files in which the user may name the model service of a product. */
export const listSettingsFiles = ({ read, locked }: AgentNeeds): readonly string[] =>
  [...locked, ...read.map((path) => join(path, "settings.json"))].filter((path) => SETTINGS_FILE.test(path));

type Places = {
  readonly env: Environment;
  readonly home: string;
  readonly folder: (variable: string, ...usual: string[]) => string;
};

function agentPlaces(env: Environment, home: string): Places {
  const folder = (variable: string, ...usual: string[]): string => {
    const set = env[variable] ?? "";
    return set.startsWith("/") ? set : join(home, ...usual);
  };
  return { env, home, folder };
}

const NOTHING: AgentNeeds = { read: [], emptied: [], write: [], make: [], locked: [] };

const products: Readonly<Record<string, (places: Places) => AgentNeeds>> = {
  claude: ({ home, folder }) => {
    const own = folder("CLAUDE_CONFIG_DIR", ".claude");
    return {
      read: [own, join(home, ".claude.json")],
      emptied: ["session-env", "shell-snapshots"].map((name) => join(own, name)), // read by every shell that it starts
      write: [".credentials.json", "history.jsonl"].map((name) => join(own, name)),
      make: ["projects", "todos"].map((name) => join(own, name)),
      locked: [],
    };
  },
  codex: ({ env, home }) =>
    ownFolder(codexHome(env, home), {
      folders: "sessions archived_sessions log",
      files: "auth.json history.jsonl",
      settings: "config.toml hooks.json AGENTS.md AGENTS.override.md prompts rules skills plugins",
    }),
  copilot: ({ home }) =>
    ownFolder(join(home, ".copilot"), {
      folders: "logs session-state",
      files: "",
      settings: "config.json settings.json mcp-config.json copilot-instructions.md agents hooks skills pkg",
    }),
  // `tmp` is missing for both products: besides conversations, it contains programs that they start.
  gemini: ({ home }) =>
    ownFolder(join(home, ".gemini"), {
      folders: "log",
      files: "oauth_creds.json google_accounts.json gemini-credentials.json",
      settings: "settings.json trustedFolders.json installation_id .env GEMINI.md commands extensions policies skills",
    }),
  qwen: ({ home }) =>
    ownFolder(join(home, ".qwen"), {
      folders: "",
      files: "oauth_creds.json",
      settings: "settings.json trustedFolders.json installation_id .env QWEN.md commands extensions agents skills",
    }),
  // Conversations are in a database. Sharing it would also share the files next to it, such as programs.
  opencode: ({ folder }) => {
    const kept = { folders: "log", files: "auth.json", settings: "" };
    const data = ownFolder(join(folder("XDG_DATA_HOME", ".local", "share"), "opencode"), kept);
    const set = ownFolder(join(folder("XDG_CONFIG_HOME", ".config"), "opencode"), {
      folders: "",
      files: "",
      settings: OPENCODE_SETTINGS,
    });
    return { ...data, emptied: [...data.emptied, ...set.emptied], locked: set.locked };
  },
};

/** Locked individually, because opencode must write to the folder itself. */
const OPENCODE_SETTINGS =
  "opencode.json opencode.jsonc config.json tui.json AGENTS.md agent agents command commands mode modes " +
  "plugin plugins skill skills tool tools themes package.json node_modules";

type OwnFolder = {
  /** Names of persistent folders, separated by spaces. */
  readonly folders: string;
  readonly files: string;
  /** Names of required read-only files and folders, if they exist. */
  readonly settings: string;
};

/** Returns the needs of a product with one folder. Unlisted names are hidden, and new ones are discarded. */
function ownFolder(own: string, { folders, files, settings }: OwnFolder): AgentNeeds {
  const below = (names: string): string[] => names.split(" ").flatMap((name) => (name === "" ? [] : [join(own, name)]));
  return { read: [], emptied: [own], write: below(files), make: below(folders), locked: below(settings) };
}
