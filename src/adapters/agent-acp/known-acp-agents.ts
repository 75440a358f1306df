import type { Environment } from "../process/agent-environment.ts";
import type { CallLog } from "./acp-call-log.ts";
import type { AcpModes } from "./acp-conversation.ts";
import type { AcpTraits } from "./acp-session.ts";
import { geminiCalls } from "./gemini-calls.ts";
import type { AcpAccount } from "./acp-account.ts";
import { OPENCODE_RECORDS, opencodeAccount } from "./opencode-account.ts";
import { opencodeCalls } from "./opencode-calls.ts";

/** An agent of which we know how it is made to speak the Agent Client Protocol, and what its words are worth. */
export type KnownAcpAgent = {
  readonly argv: readonly string[];
  /** Settings that make it ask us before it acts, and keep it from what the repository would have it do. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings that make it easier to work with. Those of the person count more. */
  readonly presets: Readonly<Record<string, string>>;
  /** The same, where it is said when a conversation is opened. */
  readonly meta?: object;
  /** What keeps the person's servers of tools from a reviewer. */
  readonly reviewer?: { readonly args?: readonly string[]; readonly meta?: object };
  readonly calls?: CallLog;
  readonly account?: AcpAccount;
  readonly mode: AcpModes;
  /**
   * False when files of the repository can make it start programs (plugins, hooks, servers of tools) before anybody is
   * asked, and no setting of ours keeps it from that: then it needs a sandbox.
   */
  readonly repositoryHeld: boolean;
  readonly traits: AcpTraits;
  readonly help: { readonly install: string; readonly signIn: string };
};

/** Left to itself it asks about next to nothing. */
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
  experimental: { continue_loop_on_deny: true }, // otherwise its turn is over with the first refusal
  agent: { title: { disable: true } }, // a call to the model that is in none of its records
};

/** Only servers of the names that follow are started, and none has this one. */
const NO_SERVERS = { args: ["--allowed-mcp-server-names", "none-for-reviewers"] };

const knownAcpAgents: Readonly<Record<string, KnownAcpAgent>> = {
  gemini: {
    argv: ["gemini", "--acp"],
    settings: { GEMINI_CLI_TRUST_WORKSPACE: "false" },
    presets: {},
    reviewer: NO_SERVERS,
    calls: geminiCalls,
    mode: { read: "plan", write: "default" }, // it has no other for editing in a folder it does not trust
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
    repositoryHeld: false, // .opencode/plugin, also with its project settings turned off
    traits: {
      readOnlyHolds: false, // it has to ask, but a plugin of the repository does not
      countsAllTokens: false, // those of the last call to the model only; its records have the others
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
    repositoryHeld: false, // .codex/config.toml, in a folder the person trusts
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

/** Null for a name that is not among them. */
export function knownAcpAgent(name: string): KnownAcpAgent | null {
  return Object.hasOwn(knownAcpAgents, name) ? (knownAcpAgents[name] ?? null) : null;
}

/** The person's environment with what the agent needs to be used by us. */
export function acpEnvironment({ settings, presets }: KnownAcpAgent, env: Environment): Environment {
  return { ...presets, ...env, ...settings };
}

export const ACP_AGENT_NAMES: readonly string[] = Object.keys(knownAcpAgents);

/** True for every agent that starts no program of the repository by itself, also where we do not know it: a person chose it. */
export const isRepositoryHeld = (name: string): boolean => knownAcpAgent(name)?.repositoryHeld ?? true;
