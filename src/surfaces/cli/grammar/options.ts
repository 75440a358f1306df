import { AGENT_NAMES } from "../../../app/agents/agent-choice.ts";
import type { ReviewGroup } from "../../../core/review-order/review-order.ts";
import type { Option } from "../invocation/verb.ts";

export type Options = Readonly<Record<string, Option>>;

const MODES = ["hotfix", "quick", "standard", "full"] as const;

export const globalOptions: Options = {
  C: { type: "string", short: "C", value: "dir", about: "run in this directory" },
  run: { type: "string", value: "id", about: "use this run instead of the newest" },
  item: { type: "string", value: "item", about: "use the analysis of this item instead of the run" },
  json: { type: "boolean", about: "print exactly one JSON object" },
  "no-color": { type: "boolean", about: "no colors (also: NO_COLOR)" },
  help: { type: "boolean", short: "h", about: "show help" },
};

export const personOptions: Options = {
  token: { type: "string", value: "token", about: "approval token, for use without a terminal" },
  "token-fd": { type: "string", value: "n", about: "read the token from this file descriptor" },
  as: { type: "string", value: "name", about: "name to record as the approver" },
};

const agentName = (about: string): Option => ({
  type: "string",
  value: "name[:model]",
  values: AGENT_NAMES,
  qualified: true,
  about,
});

export const agentOptions: Options = {
  agent: agentName("agent for all phases"),
  "agent-command": { type: "string", value: '"program args"', about: "a program to use as the agent" },
  reviewer: agentName("agent for all reviews"),
  "reviewer-command": { type: "string", value: '"program args"', about: "a program to use as the reviewer" },
};

/** Limits of one execution. */
export const limitOptions: Options = {
  "max-turns": { type: "string", value: "n", about: "stop an agent after <n> turns" },
  "max-minutes": { type: "string", value: "n", about: "stop an agent after <n> minutes" },
};

/** Listed here as well: the core of the review order would slow down the start of every command. */
const GROUPS = [
  "contracts",
  "code",
  "settings",
  "examples",
  "tests",
  "documents",
  "folded",
] as const satisfies readonly ReviewGroup[];

/** Which changes of an open gate are displayed, and how. */
export const gateOptions: Options = {
  diff: { type: "boolean", about: "include the changes as a patch, in review order" },
  files: { type: "boolean", about: "list the changed files with their reasons, without the patch" },
  group: { type: "string", value: "group", values: GROUPS, about: "only this group; opens folded files" },
  "since-last": { type: "boolean", about: "only changes since your last review" },
  "word-diff": { type: "boolean", about: "mark changed words: [-old-]{+new+}" },
  order: {
    type: "string",
    value: "order",
    values: ["review", "tree", "name"],
    about: "sort the files (default: review)",
  },
};

/** How much of the work is displayed. */
export const watchOptions: Options = {
  verbose: { type: "boolean", short: "v", about: "show the output of agents" },
};

export const testsOption: Option = {
  type: "string",
  value: "command",
  about: 'the test command of this run ("npm run unit"); trust: the detected one; none: no tests',
};

const sandboxOption: Option = {
  type: "string",
  value: "mode",
  values: ["auto", "on", "off"],
  about: "run agents in a sandbox (auto: if available)",
};

const budgetOptions: Options = {
  "max-usd": { type: "string", value: "n", about: "pause and ask when the run has cost <n> dollars" },
  "max-tokens": { type: "string", value: "n", about: "pause and ask when the run has used <n> tokens" },
};

/** What may run on this machine, agreed in advance. */
const trustingOptions: Options = {
  tests: testsOption,
  hooks: {
    type: "string",
    value: "choice",
    values: ["trust", "without"],
    about: "trust the repository's git hooks and filters, or run none",
  },
  yes: { type: "boolean", about: "accept the defaults of confirmations; never answers a gate" },
  "dry-run": { type: "boolean", about: "show the phases, prompt sizes and questions; start nothing" },
};

export const startOptions: Options = {
  supervised: { type: "boolean", about: "a gate after every phase, also in later runs of this project" },
  "no-supervised": { type: "boolean", about: "no gates in this run, whatever the settings say" },
  review: { type: "string", value: "03,06", about: "gates after these phases" },
  light: { type: "boolean", about: "skip architecture and design (also: -light)" },
  mode: { type: "string", value: "mode", values: MODES, about: "limit the review rounds" },
  ...agentOptions,
  ...budgetOptions,
  ...limitOptions,
  session: {
    type: "string",
    value: "scope",
    values: ["phase", "shared"],
    about: "one agent conversation per phase, or one for the whole analysis",
  },
  sandbox: sandboxOption,
  "allow-dirty": { type: "boolean", about: "start with uncommitted changes; they stay uncommitted" },
  "no-git": { type: "boolean", about: "work without a branch, commits and diffs" },
  "on-stale": {
    type: "string",
    value: "action",
    values: ["proceed", "rescan", "reanalyze"],
    about: "if the code has changed since the analysis",
  },
  "on-partial": {
    type: "string",
    value: "action",
    values: ["resume", "skip", "restart"],
    about: "if the analysis is incomplete",
  },
  "start-phase": { type: "string", value: "phase", about: "start at this phase and skip earlier ones" },
  worktree: { type: "boolean", about: "use a separate worktree" },
  merge: { type: "boolean", about: "merge at the end without asking" },
  commits: { type: "string", value: "when", values: ["phase", "end", "none"], about: "when to commit" },
  ...trustingOptions,
  ...watchOptions,
  ...personOptions,
};

/** Options of commands that start a run, on this machine or on a team's workers. */
export const beginOptions: Options = {
  ...startOptions,
  team: { type: "boolean", about: "let the team's workers do it (needs isdlc login <url>)" },
};

/** Options of adopted work. It has one gate, whatever the settings say. */
export const adoptOptions: Options = {
  "pull-request": { type: "string", value: "number", about: "fetch this pull request from origin, into a worktree" },
  ...agentOptions,
  agent: agentName("agent for a redo"),
  reviewer: { ...agentName("agent for the review; none: no review"), values: [...AGENT_NAMES, "none"] },
  ...budgetOptions,
  ...limitOptions,
  sandbox: sandboxOption,
  ...trustingOptions,
  ...watchOptions,
  ...personOptions,
};

export const answerOptions: Options = {
  wait: { type: "string", value: "id", about: "answer only this gate or question; fails if it is not open" },
  "record-only": { type: "boolean", about: "record the answer without continuing the run" },
  "no-run": { type: "boolean", about: "same as --record-only" },
  shown: { type: "string", value: "digest", about: "fails if the gate shows something else (see isdlc gate --json)" },
  ...agentOptions,
  ...watchOptions,
  ...personOptions,
};

export const placementOptions: Options = {
  project: { type: "boolean", about: "in the settings of this project, for you only if the product supports it" },
  user: { type: "boolean", about: "in your user settings, for all projects (default)" },
};

export const sessionOptions: Options = {
  session: { type: "string", value: "id", about: "the id of the session, if it is not in the environment" },
};

export const specOptions: Options = {
  ...startOptions,
  "on-partial": {
    type: "string",
    value: "action",
    values: ["continue", "fresh", "review"],
    about: "if the phase was started and not finished",
  },
  here: { type: "boolean", about: "work in this working tree, even if the feature has its own" },
};

export const signersOption: Option = {
  type: "string",
  value: "file",
  about: "allowed_signers file with the accepted keys; also <commit>:<path>",
};

export const verifyOptions: Options = {
  policy: { type: "string", value: "file", about: "policy file with the rules; also <commit>:<path>" },
  signers: signersOption,
  sarif: { type: "string", value: "file", about: "also write the result to this file as SARIF" },
  badge: { type: "boolean", about: 'print only one line: "5 gates, 2 people"' },
  statements: {
    type: "string",
    value: "file",
    about: "a file with additional attestations; also <commit>:<path>",
  },
  notes: { type: "string", value: "ref", about: "notes ref with the attestations (default: refs/notes/isdlc)" },
  "allow-empty": { type: "boolean", about: "accept a range without commits" },
};

/** What the user can trust besides the test command, the overlay and the hooks. */
export const trustOptions = {
  allow: {
    type: "string",
    value: "what",
    about: "access for sandboxed tests: network, docker, env:NAME, read:PATH, write:PATH, or none",
  },
  programs: { type: "boolean", about: "trust the current versions of the open run's programs" },
  yes: { type: "boolean", about: "do not ask" },
} as const;
