import type { CallLog } from "./call-log.ts";
import type { AcpModes } from "./conversation.ts";
import type { AcpTraits } from "./session.ts";
import { geminiCalls } from "./gemini.ts";
import type { AcpAccount } from "./account.ts";
import { OPENCODE_RECORDS, opencodeAccount, opencodeCalls } from "./opencode.ts";
import type { Environment } from "../../process/child-environment.ts";

/** Supported agent: how to start it with the Agent Client Protocol, and its known properties. */
export type KnownAcpAgent = {
  readonly argv: readonly string[];
  /**
   * Variables that make it ask before it acts, and ignore configuration of the repository. They override the user's.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables that make it easier to use. The user's variables override them. */
  readonly presets: Readonly<Record<string, string>>;
  /** Same purpose as `settings`, but sent when a conversation is opened. */
  readonly meta?: object;
  /** Keeps the user's MCP servers from a reviewer. */
  readonly reviewer?: { readonly args?: readonly string[]; readonly meta?: object };
  readonly calls?: CallLog;
  readonly account?: AcpAccount;
  readonly mode: AcpModes;
  /**
   * False if files of the repository (plugins, hooks, MCP servers) can make it start programs before it asks, and no
   * setting prevents this. Such an agent needs a sandbox.
   */
  readonly repositoryHeld: boolean;
  readonly traits: AcpTraits;
  readonly help: { readonly install: string; readonly signIn: string };
};

/** By default, opencode asks for almost nothing. */
const OPENCODE_ASKS = {
  "*": "ask",
  read: "allow",
  glob: "allow",
  grep: "allow",
  list: "allow",
  todoread: "allow",
  todowrite: "allow",
};

const OPENCODE_PRESETS = {
  experimental: { continue_loop_on_deny: true }, // otherwise the first refusal ends its turn
  agent: { title: { disable: true } }, // a call to the model that is missing in its records
};

/** Starts only servers with the listed names. No server has this one. */
const NO_SERVERS = { args: ["--allowed-mcp-server-names", "none-for-reviewers"] };

const knownAcpAgents: Readonly<Record<string, KnownAcpAgent>> = {
  gemini: {
    argv: ["gemini", "--acp"],
    settings: { GEMINI_CLI_TRUST_WORKSPACE: "false" },
    presets: {},
    reviewer: NO_SERVERS,
    calls: geminiCalls,
    mode: { read: "plan", write: "default" }, // the only mode for editing in an untrusted folder
    repositoryHeld: true,
    traits: {
      readOnlyHolds: true,
      countsAllTokens: true,
      tellsCost: false,
      commandInTitle: true,
    },
    help: {
      install: "npm install -g @google/gemini-cli",
      signIn: 'Run "gemini" once and sign in, or set GEMINI_API_KEY.',
    },
  },
  opencode: {
    argv: ["opencode", "acp"],
    settings: {
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_PERMISSION: JSON.stringify(OPENCODE_ASKS),
      OPENCODE_DB: OPENCODE_RECORDS,
    },
    presets: { OPENCODE_CONFIG_CONTENT: JSON.stringify(OPENCODE_PRESETS) },
    calls: opencodeCalls,
    account: opencodeAccount,
    mode: { read: "plan", write: "build" },
    repositoryHeld: false, // .opencode/plugin, even if its project settings are disabled
    traits: {
      readOnlyHolds: false, // it must ask, but a plugin of the repository need not
      countsAllTokens: false, // only the last call to the model; its records have the others
      tellsCost: true,
      commandInTitle: false,
      resumes: true,
    },
    help: { install: "npm install -g opencode-ai", signIn: 'Run "opencode auth login".' },
  },
  copilot: {
    argv: ["copilot", "--acp"],
    settings: {},
    presets: {},
    mode: { read: null, write: null },
    repositoryHeld: false, // .github/hooks
    traits: {
      readOnlyHolds: false,
      countsAllTokens: true,
      tellsCost: false,
      commandInTitle: false,
    },
    help: { install: "npm install -g @github/copilot", signIn: 'Run "copilot" once and enter "/login".' },
  },
  qwen: {
    argv: ["qwen", "--acp"],
    settings: {},
    presets: {},
    reviewer: NO_SERVERS,
    mode: { read: "plan", write: "auto-edit" },
    repositoryHeld: false, // .qwen/settings.json: servers, hooks, a command that lists tools
    traits: {
      readOnlyHolds: false,
      countsAllTokens: false,
      tellsCost: false,
      commandInTitle: false,
    },
    help: { install: "npm install -g @qwen-code/qwen-code", signIn: 'Run "qwen" once and sign in.' },
  },
  "claude-acp": {
    argv: ["claude-agent-acp"],
    settings: {},
    presets: {},
    meta: { claudeCode: { options: { settingSources: ["user"] } } },
    reviewer: { meta: { claudeCode: { options: { settingSources: ["user"], strictMcpConfig: true } } } },
    mode: { read: "plan", write: "acceptEdits" },
    repositoryHeld: true,
    traits: {
      readOnlyHolds: false,
      countsAllTokens: true,
      tellsCost: true,
      commandInTitle: false,
      resumes: true,
    },
    help: {
      install: "npm install -g @agentclientprotocol/claude-agent-acp",
      signIn: 'Run "claude" once and sign in, or set ANTHROPIC_API_KEY.',
    },
  },
  "codex-acp": {
    argv: ["codex-acp"],
    settings: {},
    presets: {},
    mode: { read: "read-only", write: "workspace-write" },
    repositoryHeld: false, // .codex/config.toml, in a folder trusted by the user
    traits: {
      readOnlyHolds: false,
      countsAllTokens: true,
      tellsCost: false,
      commandInTitle: false,
      resumes: true,
    },
    help: { install: "npm install -g @agentclientprotocol/codex-acp", signIn: 'Run "codex login".' },
  },
};

/** Returns null for other names. */
export function knownAcpAgent(name: string): KnownAcpAgent | null {
  return Object.hasOwn(knownAcpAgents, name) ? (knownAcpAgents[name] ?? null) : null;
}

/** Returns the user's environment with the variables of the agent. */
export function acpEnvironment({ settings, presets }: KnownAcpAgent, env: Environment): Environment {
  return { ...presets, ...env, ...settings };
}

export const ACP_AGENT_NAMES: readonly string[] = Object.keys(knownAcpAgents);

/** True if the agent starts no program of the repository by itself. Assumed for unknown agents: a user chose them. */
export const isRepositoryHeld = (name: string): boolean => knownAcpAgent(name)?.repositoryHeld ?? true;
