import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicWire } from "./anthropic-wire.ts";
import { chatWire } from "./chat-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { toToolCall } from "./portable-calls.ts";
import { responsesWire } from "./responses-wire.ts";
import { chooseTurn } from "./scenario.ts";
import type { ChosenTurn, Fault, ModelRequest, Rule } from "./scenario.ts";
import type { Answer, ServerEvent, Wire } from "./wire.ts";

const WIRES: readonly Wire[] = [anthropicWire, responsesWire, chatWire, geminiWire];

/** A request to the model and its answering turn; null if none answered. */
export type ModelCall = {
  readonly request: ModelRequest;
  /** The original request, for fields of one API only. */
  readonly body: unknown;
  readonly matched: { readonly rule: string; readonly turn: number } | null;
};

export type StubModel = {
  readonly url: string;
  /** Calls of the conversation without side calls, in order of arrival. */
  readonly calls: readonly ModelCall[];
  /** Requests without an answer. A test that expects none checks that this is empty. */
  readonly refused: readonly string[];
  close(): Promise<void>;
};

type Exchange = {
  readonly wire: Wire;
  readonly request: ModelRequest;
  readonly body: unknown;
  readonly response: ServerResponse;
};

export type StubModelOptions = {
  readonly rules: readonly Rule[];
  /** Path of a Unix socket to listen on instead of a port, for callers in another network namespace. */
  readonly socket?: string;
  /** Loopback address to listen on. */
  readonly host?: string;
};

/** Starts a scripted model on the loopback address. */
export async function startStubModel(options: StubModelOptions): Promise<StubModel> {
  const calls: ModelCall[] = [];
  const refused: string[] = [];
  const strikes = new Map<string, number>();
  let served = 0;

  const converse = (exchange: Exchange): void => {
    const { request, body } = exchange;
    const choice = chooseTurn(options.rules, request);
    if (!choice.ok) {
      calls.push({ request, body, matched: null });
      refused.push(choice.why);
      sendJson(exchange.response, 400, exchange.wire.error(400, `scripted model: ${choice.why}`));
      return;
    }
    const { chosen } = choice;
    if (chosen.key !== "side") {
      calls.push({ request, body, matched: { rule: chosen.rule, turn: chosen.turn } });
    }
    served += 1;
    const fault = strike(strikes, chosen);
    reply(exchange, toAnswer(exchange, chosen, served), fault);
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = incoming.method ?? "GET";
    const path = new URL(incoming.url ?? "/", "http://stub").pathname;
    const body = await readJson(incoming);
    const wire = WIRES.find((candidate) => candidate.owns(method, path));
    if (wire !== undefined) converse({ wire, request: wire.parse(body, path), body, response });
    else if (method === "HEAD") response.writeHead(200).end();
    else if (!answerSide({ method, path, body }, response)) {
      refused.push(`${method} ${path}`);
      sendJson(response, 404, { error: { message: `scripted model: no ${method} ${path}` } });
    }
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      refused.push(String(error));
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { type: "invalid_request_error", message: String(error) } });
    });
  });
  const { host = "127.0.0.1" } = options;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (options.socket === undefined) server.listen(0, host, resolve);
    else server.listen(options.socket, resolve);
  });
  return {
    url: options.socket ?? `http://${host}:${(server.address() as AddressInfo).port}`,
    calls,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The fault to cause now; counted per turn while the server runs. */
function strike(strikes: Map<string, number>, chosen: ChosenTurn): Fault | null {
  const { fault } = chosen.script;
  if (fault === undefined) return null;
  const before = strikes.get(chosen.key) ?? 0;
  strikes.set(chosen.key, before + 1);
  return before < (fault.times ?? Number.POSITIVE_INFINITY) ? fault : null;
}

function toAnswer({ wire, request }: Exchange, { script, key }: ChosenTurn, served: number): Answer {
  const { resultTool } = wire;
  const throughTool = script.json !== undefined && resultTool !== null && request.tools.includes(resultTool);
  const scripted = (script.calls ?? []).map((call) => toToolCall(call, request.tools));
  const all = throughTool
    ? [...scripted, { tool: resultTool, input: script.json as Record<string, unknown> }]
    : scripted;
  return {
    id: `${key}_${served}`,
    model: request.model,
    text: script.json === undefined || throughTool ? (script.text ?? "") : JSON.stringify(script.json),
    calls: all.map((call, at) => ({ ...call, id: wire.callId(`${key}_${at}_${served}`) })),
    usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, ...script.usage },
  };
}

function reply(exchange: Exchange, answer: Answer, fault: Fault | null): void {
  const { wire, request, response } = exchange;
  if (fault !== null && !isStreamFault(fault)) {
    replyInstead(exchange, fault);
    return;
  }
  if (request.stream) sendEvents(response, wire.events(answer), fault);
  else if (fault === null) sendJson(response, 200, wire.plain(answer));
  else sendHalf(response, JSON.stringify(wire.plain(answer)));
}

/** Sends a fault instead of the answer; nothing for one that hangs. */
function replyInstead({ wire, response }: Exchange, fault: Exclude<Fault, StreamFault>): void {
  if ("reset" in fault) response.socket?.destroy();
  if ("garbage" in fault) response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in.</html>");
  if ("status" in fault) {
    const { status, message = `scripted failure ${fault.status}` } = fault;
    sendJson(response, status, wire.error(status, message));
  }
}

type StreamFault = Extract<Fault, { cutAfterEvents: number } | { endAfterEvents: number }>;

const isStreamFault = (fault: Fault): fault is StreamFault => "cutAfterEvents" in fault || "endAfterEvents" in fault;

function sendEvents(response: ServerResponse, events: ReturnType<Wire["events"]>, fault: StreamFault | null): void {
  const cut = fault !== null && "cutAfterEvents" in fault;
  const most = fault === null ? events.length : cut ? fault.cutAfterEvents : fault.endAfterEvents;
  const text = events.slice(0, most).map(eventText);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  if (cut) response.write(text.join(""), () => response.socket?.destroy());
  else response.end(text.join(""));
}

function eventText({ event, data }: ServerEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Agents repeat a broken stream as a plain request, which fails as well. */
function sendHalf(response: ServerResponse, whole: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(whole)) });
  response.write(whole.slice(0, whole.length / 2), () => response.socket?.destroy());
}

type SideCall = { readonly method: string; readonly path: string; readonly body: unknown };

function answerSide({ method, path, body }: SideCall, response: ServerResponse): boolean {
  for (const wire of WIRES) {
    const answer = wire.side(method, path, body);
    if (answer === undefined) continue;
    sendJson(response, 200, answer);
    return true;
  }
  return false;
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
