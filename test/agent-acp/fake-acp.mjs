#!/usr/bin/env node
// Replaces an agent of the Agent Client Protocol: plain JSON-RPC in lines, written by hand.
// FAKE_ACP is JSON: { notes, plays, ...behavior }. Every message received is recorded in the file `notes`.
// The n-th play answers the n-th prompt: a list of actions, performed in order.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

if (process.argv[2] === "--version") {
  console.log(process.env.FAKE_ACP_VERSION ?? "fake-acp 9.9.9");
  process.exit(Number(process.env.FAKE_ACP_EXIT ?? 0));
}
const how = JSON.parse(process.env.FAKE_ACP);
const session = how.session ?? "s-1";
const waiting = new Map();
let prompts = 0;
let asked = 0;
let cancel = () => undefined;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (fields) => send({ method: "session/update", params: { sessionId: session, update: fields } });
const say = (text, more) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more });
const ask = (method, params) =>
  new Promise((resolve) => {
    asked += 1;
    waiting.set(`ask-${asked}`, resolve);
    send({ id: `ask-${asked}`, method, params });
  });
const modes = how.modes && { currentModeId: how.modes[0], availableModes: how.modes.map((id) => ({ id, name: id })) };
const hang = () => new Promise(() => setInterval(() => undefined, 1000));

const deeds = {
  say: (text) => say(text),
  messages: (texts) => texts.forEach((text, at) => say(text, { messageId: `m-${at}` })),
  elsewhere: (text) =>
    send({
      method: "session/update",
      params: {
        sessionId: "another",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      },
    }),
  update,
  raw: (text) => process.stdout.write(text),
  deep: ({ before, after }) =>
    process.stdout.write(`{"jsonrpc":"2.0",${before}${"[".repeat(200_000)}${"]".repeat(200_000)}${after}}\n`),
  readFar: async () => {
    const toolCall = { toolCallId: "far", kind: "read", locations: [{ path: "a/".repeat(100_000) }] };
    await deeds.permission({
      toolCall,
      options: [
        { optionId: "no", kind: "reject_once" },
        { optionId: "yes", kind: "allow_once" },
      ],
    });
  },
  longMessage: (bytes) => say("x".repeat(bytes)),
  stderr: (text) => process.stderr.write(text),
  write: ({ path, contents }) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  },
  ask: async ({ method, params }) => say(`${JSON.stringify(await ask(method, params))}\n`),
  permission: async ({ toolCall, options }) => {
    const answer = await ask("session/request_permission", { sessionId: session, toolCall, options });
    say(`chose ${JSON.stringify(answer.result?.outcome ?? answer.error)}\n`);
  },
  environment: (names) => say(`${names.map((name) => process.env[name] ?? "nothing").join(" ")}\n`),
  flood: async (bytes) => {
    const line = `${"x".repeat(99_999)}\n`;
    for (let sent = 0; sent < bytes; sent += line.length) {
      if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
  untilCancelled: () => new Promise((resolve) => (cancel = resolve)),
  exit: (code) => process.exit(code),
  kill: (signal) => {
    process.kill(process.pid, signal);
    return hang();
  },
  hang,
};

async function play(id) {
  const script = how.plays[prompts] ?? [];
  prompts += 1;
  let response = { result: { stopReason: "end_turn" } };
  for (const deed of script) {
    const [name, value] = Object.entries(deed)[0];
    if (name === "stop") response = { result: { stopReason: value } };
    else if (name === "respond") response = value;
    else await deeds[name](value);
  }
  send({ id, ...response });
}

const answers = {
  initialize: () => how.initialize ?? { protocolVersion: 1, agentCapabilities: { loadSession: how.loads ?? false } },
  "session/new": () => ({ sessionId: session, modes, configOptions: how.configOptions }),
  "session/load": ({ sessionId }) => {
    if (how.forgets) throw { code: -32602, message: "Session not found" };
    for (const fields of how.replays ?? []) {
      send({ method: "session/update", params: { sessionId, update: fields } });
    }
    return { modes };
  },
  "session/set_mode": () => ({}),
  "session/set_config_option": () => ({ configOptions: [] }),
};

function reply(id, method, params) {
  try {
    send({ id, result: answers[method](params) });
  } catch (error) {
    send({ id, error });
  }
}

if (how.garbage) process.stdout.write(how.garbage);
if (how.chatters) setInterval(() => console.log("Still starting…"), 100);
if (how.ignoresSignals) process.on("SIGTERM", () => undefined);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    appendFileSync(how.notes, `${line}\n`);
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method !== undefined && method === how.exitsAt) process.exit(how.exitCode ?? 0);
    if (method === undefined) waiting.get(id)?.(answer);
    else if (method === "session/cancel") cancel();
    else if (how.errors?.[method]) send({ id, error: how.errors[method] });
    else if (method === "session/prompt") void play(id);
    else if (method !== how.ignores) reply(id, method, params);
  })
  .on("close", () => {
    if (!how.stays) process.exit(0);
    setInterval(() => undefined, 1000);
  });
