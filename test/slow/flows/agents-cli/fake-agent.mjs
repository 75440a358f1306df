#!/usr/bin/env node
// Imitates the agent whose name it is started with: claude, codex, or any other that only prints its version.
// Records every start in a file next to its folder, and writes the documents named in the prompt.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const program = basename(process.argv[1]);
const args = process.argv.slice(2);
const versions = { claude: "9.9.1 (Claude Code)", codex: "codex-cli 9.9.2" };
if (args.includes("--version")) {
  console.log(versions[program] ?? "9.9.3");
  process.exit(0);
}
if (args.join(" ").endsWith("mcp list --json")) {
  console.log("[]");
  process.exit(0);
}

const prompt = readFileSync(0, "utf8");
const phase = /^(\S+) \(.*\) of the workflow/m.exec(prompt)?.[1];
const isReviewer = prompt.includes("material to be judged");
const modelAt = args.findIndex((argument) => argument === "--model" || argument === "-m");
const model = modelAt === -1 ? null : args[modelAt + 1];
appendFileSync(
  join(dirname(process.argv[1]), "../starts.jsonl"),
  `${JSON.stringify({ program, model, phase, role: isReviewer ? "reviewer" : "phase" })}\n`,
);

const documents = [...(/^Write:\n((?:- .*\n?)+)/m.exec(prompt)?.[1] ?? "").matchAll(/\S+\.md/g)];
if (!isReviewer)
  for (const [path] of documents) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `# ${phase}\n`);
  }
if (!isReviewer && phase === "implement") writeFileSync("greeting.js", `// by ${program}\n`);
const result = isReviewer ? { approved: true, summary: "fine" } : { status: "done", summary: `did ${phase}` };
const say = (line) => console.log(JSON.stringify(line));
if (program === "claude") {
  const closing = { type: "result", subtype: "success", is_error: false, session_id: "s-1", num_turns: 1 };
  say({ ...closing, structured_output: result, permission_denials: [] });
} else {
  say({ type: "thread.started", thread_id: "t-1" });
  say({ type: "item.completed", item: { type: "agent_message", text: JSON.stringify(result) } });
  say({ type: "turn.completed", usage: { input_tokens: 10, output_tokens: 1 } });
}
