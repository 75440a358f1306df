import { AGENT_NAMES } from "../../../app/agents/agent-choice.ts";
import type { Option } from "./verb.ts";

export type Options = Readonly<Record<string, Option>>;

const MODES = ["hotfix", "quick", "standard", "full"] as const;

export const globalOptions: Options = {
  C: { type: "string", short: "C", value: "dir", about: "work in this directory" },
  run: { type: "string", value: "id", about: "look at this run instead of the newest" },
  item: { type: "string", value: "item", about: "the analysis of this item, not the run of the working tree" },
  json: { type: "boolean", about: "print exactly one JSON object" },
  "no-color": { type: "boolean", about: "no colours (NO_COLOR works too)" },
  help: { type: "boolean", short: "h", about: "help for a verb" },
};

export const personOptions: Options = {
  token: { type: "string", value: "token", about: "approval token, where there is no terminal" },
  "token-fd": { type: "string", value: "n", about: "read the token from this open descriptor" },
  as: { type: "string", value: "name", about: "name to record" },
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
  "agent-command": { type: "string", value: '"program args"', about: "any program as the agent" },
  reviewer: agentName("another agent for all reviews"),
  "reviewer-command": { type: "string", value: '"program args"', about: "any program as the reviewer" },
};

/** What one execution may use. */
export const limitOptions: Options = {
  "max-turns": { type: "string", value: "n", about: "end an execution after so many turns of its agent" },
  "max-minutes": { type: "string", value: "n", about: "end an execution after so many minutes" },
};

/** How much of the work is shown. */
export const watchOptions: Options = {
  verbose: { type: "boolean", short: "v", about: "keep on the screen what agents say and do" },
};

export const startOptions: Options = {
  supervised: { type: "boolean", about: "a review gate after every phase, in later runs too" },
  "no-supervised": { type: "boolean", about: "no review gates in this run, whatever the project's settings say" },
  review: { type: "string", value: "03,06", about: "review gates after these phases" },
  light: { type: "boolean", about: "leave out architecture and design (also -light)" },
  mode: { type: "string", value: "mode", values: MODES, about: "how often a reviewer may send work back" },
  ...agentOptions,
  "max-usd": { type: "string", value: "n", about: "ask me when the run has cost so many dollars" },
  "max-tokens": { type: "string", value: "n", about: "ask me when the run has used so many tokens" },
  ...limitOptions,
  session: {
    type: "string",
    value: "whose",
    values: ["phase", "shared"],
    about: "a conversation for each phase, or one for all of the analysis",
  },
  sandbox: {
    type: "string",
    value: "when",
    values: ["auto", "on", "off"],
    about: "sandbox agents with bubblewrap; auto: where it can be done",
  },
  "allow-dirty": { type: "boolean", about: "carry uncommitted changes to the branch" },
  "no-git": { type: "boolean", about: "work in place, without branch, commits and diffs" },
  "on-stale": {
    type: "string",
    value: "what",
    values: ["proceed", "rescan", "reanalyze"],
    about: "when the code moved on since the analysis",
  },
  "on-partial": {
    type: "string",
    value: "what",
    values: ["resume", "skip", "restart"],
    about: "when the analysis stopped midway",
  },
  "start-phase": { type: "string", value: "phase", about: "begin at this phase; what comes before it is left out" },
  worktree: { type: "boolean", about: "work in a working tree of its own, beside this one" },
  merge: { type: "boolean", about: "merge at the end without asking" },
  commits: { type: "string", value: "when", values: ["phase", "end", "none"], about: "when to commit" },
  tests: {
    type: "string",
    value: "how",
    values: ["trust", "without"],
    about: "trust the detected test command, or run none",
  },
  hooks: {
    type: "string",
    value: "how",
    values: ["trust", "without"],
    about: "trust the repository's own hooks and filters, or run none of them",
  },
  yes: { type: "boolean", about: "accept the defaults of confirmations; never answers a gate" },
  "dry-run": { type: "boolean", about: "show the phases, their prompts' sizes and what would be asked; start nothing" },
  ...watchOptions,
  ...personOptions,
};

/** Of the verbs that begin a run, here or with a team's workers. */
export const beginOptions: Options = {
  ...startOptions,
  team: { type: "boolean", about: "have a team's workers do it; needs isdlc login <url> first" },
};

export const answerOptions: Options = {
  wait: { type: "string", value: "id", about: "answer exactly this; refused if it is not open" },
  "record-only": { type: "boolean", about: "only record the answer; nothing goes on" },
  "no-run": { type: "boolean", about: "alias of --record-only" },
  shown: { type: "string", value: "digest", about: "refused unless this is what is open; gate --json tells it" },
  ...agentOptions,
  ...watchOptions,
  ...personOptions,
};

export const placementOptions: Options = {
  project: { type: "boolean", about: "in this working tree's own settings, for you alone where the product allows it" },
  user: { type: "boolean", about: "in your own settings, for every project (the default)" },
};

export const sessionOptions: Options = {
  session: { type: "string", value: "id", about: "the session's own id, where it is not in the environment" },
};

export const specOptions: Options = {
  ...startOptions,
  "on-partial": {
    type: "string",
    value: "what",
    values: ["continue", "fresh", "review"],
    about: "when the phase was begun and not finished",
  },
  here: { type: "boolean", about: "work in this tree, though the feature has one of its own" },
};

export const signersOption: Option = {
  type: "string",
  value: "file",
  about: "allowed_signers file that says whose keys count; also <commit>:<path>",
};

export const verifyOptions: Options = {
  policy: { type: "string", value: "file", about: "rules to hold the commits against; also <commit>:<path>" },
  signers: signersOption,
  sarif: { type: "string", value: "file", about: "also write the result there as SARIF" },
  badge: { type: "boolean", about: 'print one line only: "5 gates, 2 people"' },
  statements: {
    type: "string",
    value: "file",
    about: "statements in a file, beside those noted; also <commit>:<path>",
  },
  notes: { type: "string", value: "ref", about: "where statements are noted, instead of refs/notes/isdlc" },
  "allow-empty": { type: "boolean", about: "accept a range without commits" },
};

/** What a person trusts besides the test command, the overlay and the hooks. */
export const trustOptions = {
  allow: {
    type: "string",
    value: "what",
    about: "what sandboxed tests may use: network, docker, env:NAME, read:PATH, write:PATH; or none",
  },
  programs: { type: "boolean", about: "the open run's programs as they are found now" },
  yes: { type: "boolean", about: "without asking" },
} as const;
