import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { createQuickExchange, type QuickExchange } from "../../src/adapters/remote/quick-exchange.ts";
import { createServerClient } from "../../src/adapters/remote/server-client.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

type Answering = (socket: Socket, request: string) => void;

/** A server that sends exact bytes, and the requests it received. */
async function saying(answer: Answering, answerWithin = 60_000) {
  const seen = { connections: 0, requests: [] as string[] };
  const server = createServer((socket) => {
    seen.connections++;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const request = chunk.toString("utf8");
      seen.requests.push(request);
      answer(socket, request);
    });
  });
  const port = await listening(server);
  const headers = ["host", "x", "authorization", "Bearer t"];
  const ask: QuickExchange = createQuickExchange({ host: "127.0.0.1", port, headers, answerWithin, keptFor: 60_000 });
  return { ask, seen };
}

const GOOD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}';

describe("requests over one connection", () => {
  test("are sent one after another, with headers and length", async () => {
    const { ask, seen } = await saying((socket) => socket.write(GOOD));
    for (const body of ["{}", '"ä"']) expect(await ask("/api/x", body)).toBe('{"a":1}');
    expect(seen).toEqual({
      connections: 1,
      requests: [
        "POST /api/x HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-length: 2\r\n\r\n{}",
        'POST /api/x HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-length: 4\r\n\r\n"ä"',
      ],
    });
  });

  test("accept an answer in any pieces", async () => {
    const { ask } = await saying((socket) => {
      socket.setNoDelay(true);
      let at = 0;
      const send = (): void => {
        if (at < GOOD.length) socket.write(GOOD.charAt(at++), () => setImmediate(send));
      };
      send();
    });
    expect(await ask("/", "")).toBe('{"a":1}');
  });

  test.for<[string, string]>([
    ["an answer with another status", "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"],
    ["an interim answer", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a chunked answer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"],
    ["a chunked answer with a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}"],
    ["an answer without a length", "HTTP/1.1 200 OK\r\n\r\n{}"],
    ["an answer with two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "],
    ["an answer with an invalid length", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}"],
    ["an answer with the length in another header", "HTTP/1.1 200 OK\r\nX-Content-Length: 2\r\n\r\n{}"],
    ["a compressed answer", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"],
    ["an answer longer than its length", `${GOOD}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`],
    ["an answer that closes the connection", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"],
    ["an answer of an older protocol", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
    ["an answer of a gigabyte", "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n{}"],
    ["an endless header", `HTTP/1.1 200 OK\r\n${"x".repeat(20_000)}`],
  ])("reject %s and abandon its connection", async ([, odd]) => {
    const { ask, seen } = await saying((socket, request) => socket.write(request.includes("odd") ? odd : GOOD));
    expect(await ask("/odd", "")).toBeNull();
    expect(await ask("/good", "")).toBe('{"a":1}');
    expect(seen.connections).toBe(2);
  });

  test("give up on a cut and on a silent connection", async () => {
    const cut = await saying((socket) => void socket.end(GOOD.slice(0, -1)));
    expect(await cut.ask("/", "")).toBeNull();
    const silent = await saying(() => undefined, 20);
    expect(await silent.ask("/", "")).toBeNull();
    expect(silent.seen.connections).toBe(1);
  });

  test("are not mixed with a request in progress", async () => {
    const { ask, seen } = await saying((socket) => socket.write(GOOD));
    const first = ask("/first", "");
    expect(await ask("/second", "")).toBeNull();
    expect(await first).toBe('{"a":1}');
    expect(seen.requests).toHaveLength(1);
  });
});

describe("fallback to an ordinary request", () => {
  const Told = z.object({ a: z.number() });
  const report = { method: "POST", path: "/api/x", body: {}, answer: Told, isRepeatable: true } as const;

  async function serving(write: (send: (chunked: boolean, status: number) => void, request: number) => void) {
    let requests = 0;
    const server = createHttpServer((request, response) => {
      request.resume();
      write((chunked, status) => {
        response.writeHead(status, chunked ? {} : { "content-length": "7" });
        response.end('{"a":1}');
      }, ++requests);
    });
    const url = `http://127.0.0.1:${await listening(server)}`;
    return { ask: createServerClient({ url, token: "t".repeat(20) }), asked: () => requests };
  }

  test("is not used if the answer was read", async () => {
    const { ask, asked } = await serving((send) => send(false, 200));
    expect([await ask(report), asked()]).toEqual([{ a: 1 }, 1]);
  });

  test("is used once for a chunked answer", async () => {
    const { ask, asked } = await serving((send) => send(true, 200));
    expect([await ask(report), asked()]).toEqual([{ a: 1 }, 2]);
  });

  test("is not used for a refusal, which is reported", async () => {
    const { ask } = await serving((send) => send(false, 409));
    await expect(ask(report)).rejects.toMatchObject({ problem: { code: "SERVER_REFUSED", status: 409 } });
  });

  test("never sends a token with a line break as header", async () => {
    const seen: string[] = [];
    const server = createServer((socket) => socket.on("data", (chunk) => seen.push(chunk.toString("utf8"))));
    const url = `http://127.0.0.1:${await listening(server)}`;
    const ask = createServerClient({ url, token: "t\r\nx-evil: 1" });
    await expect(ask(report)).rejects.toMatchObject({ problem: { code: "SERVER_UNREACHABLE" } });
    expect(seen).toEqual([]);
  });
});
