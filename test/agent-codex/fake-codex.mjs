#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { standIn } from "../agent-claude/stand-in.mjs";

if (process.argv.slice(-3).join(" ") === "mcp list --json") {
  console.log(process.env.FAKE_CODEX_SERVERS ?? "[]");
  process.exit(0);
}

standIn({
  variable: "FAKE_CODEX",
  version: "codex-cli 9.9.9",
  // The file is gone once the execution has ended.
  notesToo: (args) => ({ schema: JSON.parse(readFileSync(args[args.indexOf("--output-schema") + 1], "utf8")) }),
});
