import {
  adoptOptions,
  agentOptions,
  answerOptions,
  beginOptions,
  gateOptions,
  limitOptions,
  personOptions,
  trustOptions,
  signersOption,
  startOptions,
  verifyOptions,
  watchOptions,
} from "./options.ts";
import { passkeyVerb, uiVerb } from "./ui-verb.ts";
import { sessionVerbs } from "./session-verbs.ts";
import { specVerbs } from "./spec-verbs.ts";
import { teamVerbs } from "./team-verbs.ts";
import { type Verb, verb, verbWithWords } from "../invocation/verb.ts";

export const verbs: readonly Verb[] = [
  verbWithWords("do", "begin", {
    summary: "Plan, implement and review a change",
    usage: 'isdlc "<change>" [options]',
    options: beginOptions,
  }),
  verb("init", "begin", {
    summary: "Set up this project and list the installed agents",
    usage: "isdlc init [--constitution] [--share]",
    options: {
      share: { type: "boolean", about: "fetch signed attestations with git fetch (adds one refspec)" },
      constitution: {
        type: "boolean",
        about: "also write docs/isdlc/constitution.md, rules for reviewers",
      },
    },
  }),
  verbWithWords("feature", "begin", {
    summary: "Build a feature, from requirements to code review",
    usage: 'isdlc feature "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("fix", "begin", {
    summary: "Fix a bug, from reproduction to code review",
    usage: 'isdlc fix "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("build", "begin", {
    summary: "Build a backlog item with the feature workflow",
    usage: 'isdlc build "<title>" [options]',
    options: beginOptions,
  }),
  verbWithWords("run", "begin", {
    summary: "Run a workflow by name, or explain it",
    usage: 'isdlc run <workflow> ["<title>"] [options]',
    options: {
      ...beginOptions,
      explain: { type: "boolean", about: "only show the phases, their rules and the source of each rule" },
    },
  }),
  verbWithWords("adopt", "begin", {
    summary: "Judge work made outside of isdlc: checks, a review, one gate",
    usage: "isdlc adopt [range | --pull-request <number>] [options]",
    options: adoptOptions,
  }),
  ...specVerbs,
  verbWithWords("add", "begin", {
    summary: "Add a task or an issue URL to the backlog; starts nothing",
    usage: 'isdlc add "<task>" | <issue URL> ["<title>"]',
    options: personOptions,
  }),
  verbWithWords("analyze", "begin", {
    summary: "Analyze an item, also while another run is open; writes only to its folder",
    usage: 'isdlc analyze <item | "task" | issue URL> [options]',
    options: startOptions,
  }),
  verbWithWords("items", "read", {
    summary: "List the items with their analysis status",
    usage: "isdlc items [remove <item>]",
    options: { yes: { type: "boolean", about: "remove without asking" }, ...personOptions },
  }),
  verb("status", "read", {
    summary: "Show the state of the run",
    usage: "isdlc status [--all]",
    options: { all: { type: "boolean", about: "include all worktrees of the repository and all analyses" } },
  }),
  verb("next", "read", { summary: "Print the next step", usage: "isdlc next", options: {} }),
  verbWithWords("logs", "read", {
    summary: "Show the output of the run's agents; -f follows until the run ends",
    usage: "isdlc logs [execution] [--follow]",
    options: { follow: { type: "boolean", short: "f", about: "also print new output as it arrives" } },
  }),
  verb("gate", "read", {
    summary: "Show the open gate or question",
    usage: "isdlc gate [--diff | --files] [options]",
    options: gateOptions,
  }),
  verb("check", "read", {
    summary: "Run the checks of the current phase; changes nothing",
    usage: "isdlc check",
    options: {},
  }),
  verb("history", "read", {
    summary: "Show the events of the open run, or the finished runs",
    usage: "isdlc history [--all | --reviews | --whole]",
    options: {
      whole: { type: "boolean", about: "all events of a long run (default: the newest 500)" },
      all: { type: "boolean", about: "the finished runs with their duration and cost" },
      reviews: { type: "boolean", about: "the reviewers' verdicts" },
    },
  }),
  verb("continue", "decide", {
    summary: "Accept the phase and continue",
    usage: "isdlc continue",
    options: answerOptions,
  }),
  verb("review", "decide", {
    summary: "Pause at the gate to read and edit",
    usage: "isdlc review",
    options: answerOptions,
  }),
  verbWithWords("redo", "decide", {
    summary: "Redo the phase with guidance",
    usage: 'isdlc redo "<guidance>" [--comments <file|->]',
    options: {
      comments: { type: "string", value: "file", about: "comments on single lines, a JSON list (-: standard input)" },
      ...answerOptions,
    },
  }),
  verbWithWords("answer", "decide", {
    summary: "Answer the pending question",
    usage: "isdlc answer <option> [--text …] [--reply id=text]…",
    options: {
      ...answerOptions,
      text: { type: "string", value: "text", about: "guidance, reason, or reply if there is only one question" },
      yes: { type: "boolean", about: "confirm discard" },
      reply: { type: "string", value: "id=text", repeatable: true, about: "reply to one question (repeatable)" },
    },
  }),
  verb("resume", "begin", {
    summary: "Continue an interrupted run",
    usage: "isdlc resume",
    options: { ...agentOptions, ...watchOptions, ...personOptions },
  }),
  verbWithWords("back", "decide", {
    summary: "Return to an earlier phase: with guidance, improve it; without, undo it",
    usage: 'isdlc back <phase> ["<guidance>"]',
    options: {
      "keep-tree": { type: "boolean", about: "keep the working tree (default with guidance)" },
      "restore-tree": {
        type: "boolean",
        about: "remove later work, saved under a ref (default without guidance)",
      },
      ...answerOptions,
    },
  }),
  verb("fresh", "decide", {
    summary: "Restart the current phase; its work so far is saved under a ref",
    usage: "isdlc fresh",
    aliases: ["restart"],
    options: answerOptions,
  }),
  verbWithWords("retry", "decide", {
    summary: "Retry the failed step, or restart the current phase",
    usage: 'isdlc retry ["<guidance>"]',
    options: { ...answerOptions, ...limitOptions },
  }),
  verb("skip", "decide", {
    summary: "Skip the failed step or the current phase (recorded)",
    usage: "isdlc skip",
    options: answerOptions,
  }),
  verb("cancel", "decide", {
    summary: "Cancel the run; keeps its branch and documents",
    usage: 'isdlc cancel --reason "…"',
    options: {
      reason: { type: "string", value: "why", about: "the reason, recorded in the journal" },
      "keep-tree": { type: "boolean", about: "keep the agent's uncommitted changes (default without a terminal)" },
      "restore-tree": { type: "boolean", about: "remove the agent's uncommitted changes, saved under a ref" },
      ...personOptions,
    },
  }),
  verbWithWords("config", "decide", {
    summary: "Show or change settings",
    usage: "isdlc config [get <setting> | set <setting> <value> | unset <setting> | edit]",
    options: {
      project: { type: "boolean", about: "your setting for this project only: agents, limits, session" },
      ...personOptions,
    },
  }),
  verb("trust", "decide", {
    summary: "Trust the project's test command, workflow overlay and git hooks",
    usage: "isdlc trust [--allow network,env:NAME,…]",
    options: { ...trustOptions, ...personOptions },
  }),
  verb("token", "decide", {
    summary: "Create an approval token, shown once",
    usage: "isdlc token",
    options: {
      ...personOptions,
      yes: { type: "boolean", about: "allow it without a terminal, if no configuration exists yet" },
    },
  }),
  verb("doctor", "read", {
    summary: "Diagnose this project and this machine",
    usage: "isdlc doctor [--fix]",
    options: { fix: { type: "boolean", about: "apply safe fixes" }, ...personOptions },
  }),
  verb("agents", "read", {
    summary: "List supported agents, their abilities and where each is used",
    usage: "isdlc agents",
    options: {},
  }),
  verb("verify-journal", "read", {
    summary: "Verify that the journal is complete and signed with your key",
    usage: "isdlc verify-journal",
    options: {},
  }),
  verbWithWords("attest", "decide", {
    summary: "Sign an attestation of a run's commits with your git signing key",
    usage: "isdlc attest [run] [--countersign <range>] [--push <remote>]",
    options: {
      countersign: {
        type: "string",
        value: "range",
        about: "also countersign other people's attestations of these commits",
      },
      signers: signersOption,
      file: { type: "string", value: "file", about: "also write the attestation to this file" },
      push: { type: "string", value: "remote", about: "share attestations: fetch, merge and push refs/notes/isdlc" },
      yes: { type: "boolean", about: "countersign without asking" },
      ...personOptions,
    },
  }),
  verbWithWords("verify-commits", "read", {
    summary: "Check which commits a person approved, by their attestations",
    usage: "isdlc verify-commits <range | branch | commit> [--policy <file>] [--signers <file>]",
    options: verifyOptions,
  }),
  verbWithWords("export", "read", {
    summary: "Export a run as an archive and a single HTML report",
    usage: "isdlc export [run] [--to <folder>]",
    options: { to: { type: "string", value: "folder", about: "target folder (default: the current one)" } },
  }),
  verbWithWords("import", "begin", {
    summary: "Show an exported run, or import a Spec Kit, OpenSpec or Kiro folder",
    usage: "isdlc import <archive | folder>",
    options: {
      signers: signersOption,
      file: { type: "string", value: "name", about: "print this file of the archive" },
      report: { type: "string", value: "file", about: "write an HTML report of the archive to this file" },
    },
  }),
  uiVerb,
  passkeyVerb,
  ...teamVerbs,
  ...sessionVerbs,
  verb("demo", "begin", {
    summary: "Try the whole flow in a sample project",
    usage: "isdlc demo [--keep]",
    options: {
      keep: { type: "boolean", about: "keep the sample project" },
      yes: { type: "boolean", about: "answer the gates with a script" },
    },
  }),
  verbWithWords("completion", "read", {
    summary: "Print a completion script for bash, zsh or fish",
    usage: "isdlc completion <shell>",
    options: {},
  }),
  verb("version", "read", { summary: "Print the version", usage: "isdlc version", options: {} }),
  verbWithWords("help", "read", {
    summary: "Show help for a command or a topic",
    usage: "isdlc help [command | topic | --all]",
    options: { all: { type: "boolean", about: "list all commands" } },
  }),
];

export const findVerb = (name: string): Verb | undefined =>
  verbs.find((verb) => name !== "do" && (verb.name === name || verb.aliases?.includes(name) === true));
