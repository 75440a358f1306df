import { placementOptions, sessionOptions } from "./options.ts";
import { type Verb, verb, verbWithWords } from "../invocation/verb.ts";

/** Commands for agent products and the sessions in them. */
export const sessionVerbs: readonly Verb[] = [
  verb("begin", "work", {
    summary: "In an agent session: take the current phase",
    usage: "isdlc begin [--session <id>]",
    options: sessionOptions,
  }),
  verb("report", "work", {
    summary: "In an agent session: report the phase; starts checks, review and gate",
    usage: 'isdlc report --nonce <nonce> [--summary "<text>"]   (or the result as JSON on standard input)',
    options: {
      ...sessionOptions,
      nonce: { type: "string", value: "nonce", about: "the nonce printed by isdlc begin" },
      summary: { type: "string", value: "text", about: "the phase is done; a short summary of the work" },
    },
  }),
  verbWithWords("install", "begin", {
    summary: "Add isdlc to an agent product: hooks, commands, MCP server",
    usage: "isdlc install claude|codex|gemini|opencode [--project | --user] [--sandbox]",
    options: {
      ...placementOptions,
      sandbox: { type: "boolean", about: "also sandbox the shell of Claude Code in this working tree" },
    },
  }),
  verbWithWords("uninstall", "begin", {
    summary: "Remove isdlc from an agent product",
    usage: "isdlc uninstall claude|codex|gemini|opencode [--project | --user]",
    options: placementOptions,
  }),
  verb("mcp", "read", {
    summary: "Serve an agent session over the Model Context Protocol (stdio)",
    usage: "isdlc mcp",
    options: {},
  }),
  verbWithWords("hook", "read", {
    summary: "Print the context that an agent session receives at startup",
    usage: "isdlc hook session-start [--json]",
    options: {},
  }),
];
