#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { standIn } from "../agent-claude/stand-in.mjs";

standIn({
  variable: "FAKE_CODEX",
  version: "codex-cli 9.9.9",
  // The file is gone once the execution has ended.
  notesToo: (args) => ({ schema: JSON.parse(readFileSync(args[args.indexOf("--output-schema") + 1], "utf8")) }),
});
