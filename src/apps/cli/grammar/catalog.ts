import {
  agentOptions,
  answerOptions,
  beginOptions,
  limitOptions,
  placementOptions,
  personOptions,
  trustOptions,
  sessionOptions,
  signersOption,
  startOptions,
  verifyOptions,
  watchOptions,
} from "./options.ts";
import { passkeyVerb, uiVerb } from "./ui-verb.ts";
import { specVerbs } from "./spec-verbs.ts";
import { teamVerbs } from "./team-verbs.ts";
import type { Verb } from "./verb.ts";

const verb = (name: string, kind: Verb["kind"], rest: Omit<Verb, "name" | "kind">): Verb => ({ name, kind, ...rest });
const verbWithWords: typeof verb = (name, kind, rest) => ({ ...verb(name, kind, rest), takesWords: true });

/** Every verb there is. */
export const verbs: readonly Verb[] = [
  verbWithWords("do", "begin", {
    summary: "Plan, implement and review a change",
    usage: 'isdlc "<what to do>" [options]',
    options: beginOptions,
  }),
  verb("init", "begin", {
    summary: "Set up .isdlc/ here and see which agents are installed",
    usage: "isdlc init [--constitution] [--share]",
    options: {
      share: { type: "boolean", about: "have git fetch bring signed statements along (one refspec)" },
      constitution: {
        type: "boolean",
        about: "also write docs/isdlc/constitution.md, a text for reviewers to judge by",
      },
    },
  }),
  verbWithWords("feature", "begin", {
    summary: "Build a feature, from quick scan to code review",
    usage: 'isdlc feature "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("fix", "begin", {
    summary: "Fix a bug, from reproduction to code review",
    usage: 'isdlc fix "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("build", "begin", {
    summary: "Build an item (the feature workflow)",
    usage: 'isdlc build "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("run", "begin", {
    summary: "Run a workflow by name, or explain it",
    usage: 'isdlc run <workflow> ["<title>"] [options]',
    options: {
      ...beginOptions,
      explain: { type: "boolean", about: "show the phases, their rules and where each comes from instead" },
    },
  }),
  ...specVerbs,
  verbWithWords("add", "begin", {
    summary: "Add an item to the backlog; starts nothing",
    usage: 'isdlc add "<what to do>" | <address of an issue> ["<title>"]',
    options: personOptions,
  }),
  verbWithWords("analyze", "begin", {
    summary: "Analyze an item, beside any other run; writes in its folder only",
    usage: 'isdlc analyze <item, "what to do" or address of an issue> [options]',
    options: startOptions,
  }),
  verbWithWords("items", "read", {
    summary: "Items, how far each is analyzed, and which are stale",
    usage: "isdlc items [remove <item>]",
    options: { yes: { type: "boolean", about: "remove without asking" }, ...personOptions },
  }),
  verb("status", "read", {
    summary: "Where the run stands",
    usage: "isdlc status [--all]",
    options: { all: { type: "boolean", about: "every working tree of the repository, and the analyses of items" } },
  }),
  verb("next", "read", { summary: "What should happen now", usage: "isdlc next", options: {} }),
  verb("begin", "work", {
    summary: "For agent sessions: take the phase that is to be worked on",
    usage: "isdlc begin [--session <id>]",
    options: sessionOptions,
  }),
  verb("report", "work", {
    summary: "For agent sessions: report the phase; checks, reviewer and gate follow",
    usage: 'isdlc report --nonce <nonce> [--summary "<what was done>"]   (or the result as JSON on the input)',
    options: {
      ...sessionOptions,
      nonce: { type: "string", value: "nonce", about: "what begin gave" },
      summary: { type: "string", value: "text", about: "it is done; what was done, in short" },
    },
  }),
  verbWithWords("logs", "read", {
    summary: "What the agents of the run say and do; -f goes on until the run ends",
    usage: "isdlc logs [execution] [--follow]",
    options: { follow: { type: "boolean", short: "f", about: "show what is said from now on, too" } },
  }),
  verb("gate", "read", {
    summary: "What is open, with its summary",
    usage: "isdlc gate [--diff]",
    options: { diff: { type: "boolean", about: "show the changes as a patch" } },
  }),
  verb("check", "read", {
    summary: "Run the current phase's checks now, changing nothing",
    usage: "isdlc check",
    options: {},
  }),
  verb("history", "read", {
    summary: "What happened in the open run; without one, the finished runs",
    usage: "isdlc history [--all | --reviews | --whole]",
    options: {
      whole: { type: "boolean", about: "every event of a long run, not the newest 500 alone" },
      all: { type: "boolean", about: "the finished runs, with what each took" },
      reviews: { type: "boolean", about: "what reviewers said, verdict by verdict" },
    },
  }),
  verb("continue", "decide", {
    summary: "Accept the phase and go on",
    usage: "isdlc continue",
    options: answerOptions,
  }),
  verb("review", "decide", {
    summary: "Pause at the gate to read and edit",
    usage: "isdlc review",
    options: answerOptions,
  }),
  verbWithWords("redo", "decide", {
    summary: "Run the phase again with guidance",
    usage: 'isdlc redo "<guidance>"',
    options: answerOptions,
  }),
  verbWithWords("answer", "decide", {
    summary: "Answer whatever is open",
    usage: "isdlc answer <option> [--text …] [--reply id=text]…",
    options: {
      ...answerOptions,
      text: { type: "string", value: "text", about: "guidance, reason, or the reply to the only question" },
      yes: { type: "boolean", about: "discard: yes, really" },
      reply: { type: "string", value: "id=text", repeatable: true, about: "reply to one question; once for each" },
    },
  }),
  verb("resume", "begin", {
    summary: "Go on after an interruption",
    usage: "isdlc resume",
    options: { ...agentOptions, ...watchOptions, ...personOptions },
  }),
  verbWithWords("back", "decide", {
    summary: "Return to an earlier phase: with guidance to improve its work, without to undo it",
    usage: 'isdlc back <phase> ["<guidance>"]',
    options: {
      "keep-tree": { type: "boolean", about: "leave the working tree as it is; so it is with guidance" },
      "restore-tree": {
        type: "boolean",
        about: "take out what came after, which a ref keeps; so it is without guidance",
      },
      ...answerOptions,
    },
  }),
  verb("fresh", "decide", {
    summary: "Start the current phase from where it began; what it made is kept on a ref",
    usage: "isdlc fresh",
    aliases: ["restart"],
    options: answerOptions,
  }),
  verbWithWords("retry", "decide", {
    summary: "Try the failed step again, or restart the current phase",
    usage: 'isdlc retry ["<guidance>"]',
    options: { ...answerOptions, ...limitOptions },
  }),
  verb("skip", "decide", {
    summary: "Skip what failed, or the current phase; recorded",
    usage: "isdlc skip",
    options: answerOptions,
  }),
  verb("cancel", "decide", {
    summary: "End the run; branch and artifacts stay",
    usage: 'isdlc cancel --reason "…"',
    options: {
      reason: { type: "string", value: "why", about: "why the run ends" },
      "keep-tree": { type: "boolean", about: "leave what the agent left uncommitted; so it is where nobody is asked" },
      "restore-tree": { type: "boolean", about: "take out what the agent left uncommitted; a ref keeps it" },
      ...personOptions,
    },
  }),
  verbWithWords("config", "decide", {
    summary: "Settings with where each value comes from; change them",
    usage: "isdlc config [get <setting> | set <setting> <value> | unset <setting> | edit]",
    options: {
      project: { type: "boolean", about: "yours, for this project alone: agents, limits, session" },
      ...personOptions,
    },
  }),
  verb("trust", "decide", {
    summary: "Trust this project's test command, overlays and hooks",
    usage: "isdlc trust [--allow network,env:NAME,…]",
    options: { ...trustOptions, ...personOptions },
  }),
  verb("token", "decide", {
    summary: "Make an approval token, shown once",
    usage: "isdlc token",
    options: { ...personOptions, yes: { type: "boolean", about: "without a terminal, in a fresh configuration" } },
  }),
  verb("doctor", "read", {
    summary: "Check this project and this machine",
    usage: "isdlc doctor [--fix]",
    options: { fix: { type: "boolean", about: "fix what can be fixed safely" }, ...personOptions },
  }),
  verb("agents", "read", {
    summary: "Known agents: which are installed, what each can do, which is used for what",
    usage: "isdlc agents",
    options: {},
  }),
  verb("verify-journal", "read", {
    summary: "Check the journal's chain, marks, anchors and signed decisions",
    usage: "isdlc verify-journal",
    options: {},
  }),
  verbWithWords("attest", "decide", {
    summary: "Sign what the journal says about a run's commits, with the key git signs with",
    usage: "isdlc attest [run] [--countersign <range>] [--push <remote>]",
    options: {
      countersign: { type: "string", value: "range", about: "vouch too for what others signed about these commits" },
      signers: signersOption,
      file: { type: "string", value: "file", about: "also write what was signed there" },
      push: { type: "string", value: "remote", about: "share the statements: fetch, join and push refs/notes/isdlc" },
      yes: { type: "boolean", about: "countersign without asking" },
      ...personOptions,
    },
  }),
  verbWithWords("verify-commits", "read", {
    summary: "Which commits a person vouches for, by the statements signed about them",
    usage: "isdlc verify-commits <range | branch | commit> [--policy <file>] [--signers <file>]",
    options: verifyOptions,
  }),
  verbWithWords("export", "read", {
    summary: "Write a run as one archive and one page, for somebody who was not there",
    usage: "isdlc export [run] [--to <folder>]",
    options: { to: { type: "string", value: "folder", about: "where to write; here by default" } },
  }),
  verbWithWords("import", "begin", {
    summary: "Show an exported run, or take a spec-kit, OpenSpec or Kiro folder as an item",
    usage: "isdlc import <archive | folder>",
    options: {
      signers: signersOption,
      file: { type: "string", value: "name", about: "of an archive: print this file of it" },
      report: { type: "string", value: "file", about: "of an archive: write its page there" },
    },
  }),
  uiVerb,
  passkeyVerb,
  ...teamVerbs,
  verb("demo", "begin", {
    summary: "The whole supervised flow in a sample project, with a recorded agent",
    usage: "isdlc demo [--keep]",
    options: {
      keep: { type: "boolean", about: "keep the sample project" },
      yes: { type: "boolean", about: "let a script answer" },
    },
  }),
  verbWithWords("install", "begin", {
    summary: "Set up an agent product for isdlc: hooks, commands, server",
    usage: "isdlc install claude|codex|gemini|opencode [--project | --user]",
    options: placementOptions,
  }),
  verbWithWords("uninstall", "begin", {
    summary: "Take that out again",
    usage: "isdlc uninstall claude|codex|gemini|opencode [--project | --user]",
    options: placementOptions,
  }),
  verb("mcp", "read", {
    summary: "Serve an agent session over the Model Context Protocol (standard input and output)",
    usage: "isdlc mcp",
    options: {},
  }),
  verbWithWords("hook", "read", {
    summary: "What an agent session is told when it starts",
    usage: "isdlc hook session-start [--json]",
    options: {},
  }),
  verbWithWords("completion", "read", {
    summary: "Shell completion for bash, zsh or fish",
    usage: "isdlc completion <shell>",
    options: {},
  }),
  verbWithWords("help", "read", { summary: "Help for a verb", usage: "isdlc help [verb]", options: {} }),
];

export const findVerb = (name: string): Verb | undefined =>
  verbs.find((verb) => name !== "do" && (verb.name === name || verb.aliases?.includes(name) === true));
