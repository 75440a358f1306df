import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Disturbance = "cut" | "doubled";

/** Stands between a worker and its server, and disturbs single replies. */
export type ReplyProxy = {
  readonly url: string;
  /** Sends later requests to another server. */
  direct(url: string): void;
  /**
   * Disturbs the next reply. `cut`: the server gets the request, and the worker no reply. `doubled`: the server gets the
   * request twice, and the worker both replies on one connection. Resolves after it happened.
   */
  disturb(how: Disturbance): Promise<void>;
  close(): Promise<void>;
};

type Reply = { readonly status: number; readonly type: string; readonly text: Buffer };
type Waiting = { readonly how: Disturbance; readonly done: () => void };

export async function createReplyProxy(server: string): Promise<ReplyProxy> {
  let target = server;
  const waiting: Waiting[] = [];
  const agent = new Agent({ keepAlive: true, timeout: 4000 });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const forward = (): Promise<Reply> => forwarded({ request, body, to: new URL(request.url ?? "/", target), agent });
    const disturbance = waiting.shift();
    try {
      const reply = await forward();
      if (disturbance?.how === "cut") return void response.destroy();
      const second = disturbance?.how === "doubled" ? await forward() : null;
      deliver(response, reply, second);
    } finally {
      disturbance?.done();
    }
  };
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo; // listens at a port
  return {
    url: `http://127.0.0.1:${port}`,
    direct: (url) => void (target = url),
    disturb: (how) => new Promise((done) => void waiting.push({ how, done })),
    async close() {
      agent.destroy();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

type Forwarding = {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly to: URL;
  readonly agent: Agent;
};

function forwarded({ request, body, to, agent }: Forwarding): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { authorization = "", traceparent } = request.headers;
    const headers = {
      authorization,
      "content-type": "application/json",
      "content-length": String(body.length),
      ...(typeof traceparent === "string" && { traceparent }),
    };
    const sent = send(to, { method: request.method ?? "GET", headers, agent }, (answer) => {
      const type = answer.headers["content-type"] ?? "";
      const reply = readAll(answer).then((text) => ({ status: answer.statusCode ?? 0, type, text }));
      reply.then(resolve, reject); // a cut answer is an error
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function deliver(response: ServerResponse, reply: Reply, second: Reply | null): void {
  const { socket } = response;
  response.writeHead(reply.status, { "content-type": reply.type, "content-length": String(reply.text.length) });
  response.end(reply.text, () => {
    if (second === null) return;
    const head = `HTTP/1.1 ${second.status} OK\r\ncontent-type: ${second.type}\r\ncontent-length: ${second.text.length}`;
    socket?.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), second.text]));
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
