import { basename, join } from "node:path";
import { codexHome } from "../agent-codex/codex-home.ts";
import type { Environment } from "../process/agent-environment.ts";

/** What an agent product keeps in a person's home, as absolute paths. What does not exist is passed over. */
export type AgentNeeds = {
  readonly read: readonly string[];
  /** Folders that begin empty with every execution and are thrown away: what is there may start programs later. */
  readonly emptied: readonly string[];
  readonly write: readonly string[];
  /** Folders to write in that are made when missing: what is kept there must outlive one execution. */
  readonly make: readonly string[];
  /** Below what it may write, and read-only: files that choose programs, also for the person's next session. */
  readonly locked: readonly string[];
};

/** By the name of an agent or of its program; an unknown one gets nothing. */
export function agentNeeds(agent: string, env: Environment, home: string): AgentNeeds {
  const product = /^[a-z]+/.exec(basename(agent).toLowerCase())?.[0] ?? "";
  const needs = Object.hasOwn(products, product) ? products[product] : undefined;
  return needs?.(agentPlaces(env, home)) ?? NOTHING;
}

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
      emptied: ["session-env", "shell-snapshots"].map((name) => join(own, name)), // every shell it starts reads them
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
  // Not "tmp", for both: beside conversations it has programs they start.
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
  // Its conversations are in a database, which cannot be shared without the files beside it, such as programs.
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

/** The folder itself it has to write in. */
const OPENCODE_SETTINGS =
  "opencode.json opencode.jsonc config.json tui.json AGENTS.md agent agents command commands mode modes " +
  "plugin plugins skill skills tool tools themes package.json node_modules";

type OwnFolder = {
  /** Names of what must last, with spaces between them. */
  readonly folders: string;
  readonly files: string;
  /** Names of what it needs and may not change, as far as they are there. */
  readonly settings: string;
};

/** All of a product in one folder. Names that are not listed are not there, and new ones do not stay. */
function ownFolder(own: string, { folders, files, settings }: OwnFolder): AgentNeeds {
  const below = (names: string): string[] => names.split(" ").flatMap((name) => (name === "" ? [] : [join(own, name)]));
  return { read: [], emptied: [own], write: below(files), make: below(folders), locked: below(settings) };
}
