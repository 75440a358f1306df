import { basename, join } from "node:path";
import type { Environment } from "../process/agent-environment.ts";

/** What an agent product keeps in a person's home, as absolute paths. What does not exist is passed over. */
export type AgentNeeds = {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Folders to write in that are made when missing: what is kept there must outlive one execution. */
  readonly make: readonly string[];
  /** Below what it may write: files that choose programs for the person's next session outside of the sandbox. */
  readonly locked: readonly string[];
};

/** By the name of an agent or of its program; an unknown one gets nothing. */
export function agentNeeds(agent: string, env: Environment, home: string): AgentNeeds {
  const product = /^[a-z]+/.exec(basename(agent).toLowerCase())?.[0] ?? "";
  const needs = Object.hasOwn(products, product) ? products[product] : undefined;
  return needs?.(placesOf(env, home)) ?? NOTHING;
}

type Places = { readonly home: string; readonly folder: (variable: string, ...usual: string[]) => string };

function placesOf(env: Environment, home: string): Places {
  const folder = (variable: string, ...usual: string[]): string => {
    const set = env[variable] ?? "";
    return set.startsWith("/") ? set : join(home, ...usual);
  };
  return { home, folder };
}

const NOTHING: AgentNeeds = { read: [], write: [], make: [], locked: [] };

const products: Readonly<Record<string, (places: Places) => AgentNeeds>> = {
  claude: ({ home, folder }) => {
    const own = folder("CLAUDE_CONFIG_DIR", ".claude");
    return {
      read: [own, join(home, ".claude.json")],
      write: [".credentials.json", "history.jsonl"].map((name) => join(own, name)),
      make: ["projects", "session-env", "shell-snapshots", "todos"].map((name) => join(own, name)),
      locked: [],
    };
  },
  codex: ({ folder }) =>
    ownFolder(folder("CODEX_HOME", ".codex"), "config.toml hooks.json AGENTS.md prompts rules skills"),
  copilot: ({ home }) => ownFolder(join(home, ".copilot"), "config.json mcp-config.json agents hooks"),
  gemini: ({ home }) => ownFolder(join(home, ".gemini"), "settings.json .env GEMINI.md commands extensions policies"),
  qwen: ({ home }) => ownFolder(join(home, ".qwen"), "settings.json .env QWEN.md commands extensions agents"),
  opencode: ({ folder }) => ({
    read: [join(folder("XDG_CONFIG_HOME", ".config"), "opencode")],
    write: [],
    make: [join(folder("XDG_DATA_HOME", ".local", "share"), "opencode")],
    locked: [],
  }),
};

/** All in one folder: its names that are settings are locked as far as they are there. */
function ownFolder(own: string, settings: string): AgentNeeds {
  return { read: [], write: [], make: [own], locked: settings.split(" ").map((name) => join(own, name)) };
}
