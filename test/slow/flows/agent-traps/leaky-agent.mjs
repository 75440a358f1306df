#!/usr/bin/env node
// Imitates Claude Code, Codex, an agent of the Agent Client Protocol or any program, depending on its arguments. All its
// output contains the keys in LEAK, a JSON list: messages, commands, errors, results and denied actions.
// With LEAK_FAILS, every execution fails with the keys in the reason.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
if (args.join(" ").endsWith("mcp list --json")) {
  console.log("[]");
  process.exit(0);
}
const keys = JSON.parse(process.env.LEAK ?? "[]").join(" ");
const fails = process.env.LEAK_FAILS === "1";
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Writes the documents named in the prompt, and answers in the required format. */
function answerTo(prompt, isReviewer) {
  if (isReviewer) {
    const issue = { severity: "note", description: `Saw ${keys}`, location: `src/a.ts ${keys}` };
    return { approved: true, issues: [issue], summary: `Fine with ${keys}` };
  }
  for (const [path] of prompt.matchAll(/docs\/requirements\/[^\s`"',]+\.md/g)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "# Made\n");
  }
  return { status: "done", summary: `Used ${keys}`, decisions: [`Kept ${keys}`], artifacts: [], questions: [] };
}

function claude() {
  const schema = args[args.indexOf("--json-schema") + 1];
  const answer = answerTo(readFileSync(0, "utf8"), schema.includes('"approved"'));
  say({ type: "system", subtype: "init", session_id: "11111111-1111-4111-8111-111111111111" });
  const content = [
    { type: "text", text: `The keys are ${keys}` },
    { type: "tool_use", name: "Bash", input: { command: `curl -H "x: ${keys}"` } },
  ];
  say({ type: "assistant", message: { id: "m1", content, usage: { input_tokens: 5, output_tokens: 1 } } });
  const permission_denials = keys
    .split(" ")
    .map((key) => ({ tool_name: "Bash", tool_input: { command: `echo ${key}` } }));
  const end = { type: "result", subtype: "success", session_id: "s", permission_denials };
  say(
    fails
      ? { ...end, is_error: true, api_error_status: 400, result: `Bad: ${keys}` }
      : { ...end, is_error: false, structured_output: answer },
  );
  process.stderr.write(`warning: ${keys}\n`);
  process.exitCode = fails ? 1 : 0;
}

function codex() {
  const schema = readFileSync(args[args.indexOf("--output-schema") + 1], "utf8");
  const answer = answerTo(readFileSync(0, "utf8"), schema.includes('"approved"'));
  const item = (value) => say({ type: "item.completed", item: value });
  say({ type: "thread.started", thread_id: "01a1dfa9-0000-7000-8000-000000000001" });
  item({ type: "agent_message", text: `The keys are ${keys}` });
  item({ type: "error", message: `Odd: ${keys}` });
  const output = `${keys}: Read-only file system`;
  item({ type: "command_execution", command: `echo ${keys}`, aggregated_output: output, exit_code: 1 });
  if (fails) say({ type: "turn.failed", error: { message: `unexpected status 400 Bad: ${keys}` } });
  else {
    item({ type: "agent_message", text: JSON.stringify(answer) });
    say({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } });
  }
  process.stderr.write(`warning: ${keys}\n`);
  process.exitCode = fails ? 1 : 0;
}

function acp() {
  const send = (message) => say({ jsonrpc: "2.0", ...message });
  const tell = (text) =>
    send({
      method: "session/update",
      params: { sessionId: "s-1", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
    });
  let onAnswer = () => undefined;
  const prompted = (id, text) => {
    const answer = answerTo(text, text.includes('"approved"'));
    tell(`The keys are ${keys}\n`);
    const toolCall = { toolCallId: "1", title: `echo ${keys}`, kind: "execute", rawInput: { command: `echo ${keys}` } };
    send({ id: "ask", method: "session/request_permission", params: { toolCall, options: [] } });
    onAnswer = () => {
      if (!fails) tell(`\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``);
      send({
        id,
        ...(fails ? { error: { code: 400, message: `Bad: ${keys}` } } : { result: { stopReason: "end_turn" } }),
      });
    };
  };
  const answers = {
    initialize: { protocolVersion: 1, agentCapabilities: { loadSession: false } },
    "session/new": { sessionId: "s-1" },
  };
  process.stderr.write(`warning: ${keys}\n`);
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === undefined) onAnswer();
      else if (method === "session/prompt") prompted(id, params.prompt[0].text);
      else if (answers[method]) send({ id, result: answers[method] });
    })
    .on("close", () => process.exit(0));
}

function command() {
  const { role, prompt } = JSON.parse(readFileSync(0, "utf8"));
  const answer = answerTo(prompt, role === "reviewer");
  say({ type: "progress", text: `The keys are ${keys}` });
  if (fails) say({ type: "result", status: "failed", summary: `Bad: ${keys}` });
  else say({ type: "result", ...(role === "reviewer" ? { verdict: answer } : answer) });
  process.stderr.write(`warning: ${keys}\n`);
}

if (args.includes("--version")) console.log(process.env.CODEX_LEAK_VERSION ?? "9.9.9 (Claude Code)");
else if (args.includes("--acp")) acp();
else if (args.includes("--command")) command();
else if (args.includes("exec")) codex();
else claude();
