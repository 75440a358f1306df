import { once } from "node:events";
import { type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createConnectionRoom, clientNetwork } from "../../team/src/server/connection-room.ts";
import { createLimitedServer, SERVER_LIMITS, type ServerLimits } from "../../team/src/server/limited-server.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function limited(limits: Partial<ServerLimits>, listener: RequestListener = answering) {
  const warnings: object[] = [];
  const log = { ...silent, warn: (facts: object) => void warnings.push(facts) };
  const server: Server = createLimitedServer(listener, {
    limits: { ...SERVER_LIMITS, ...limits },
    shared: new Set(),
    log,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, warnings };
}

const answering: RequestListener = (request, response) => {
  request.resume();
  request.on("end", () => response.end("answered"));
};

type Line = { readonly socket: Socket; readonly heard: () => string; readonly closed: Promise<unknown> };

async function connected(port: number, first = ""): Promise<Line> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk) => (heard += chunk.toString("utf8")));
  socket.on("error", () => undefined);
  ended.push(() => socket.destroy());
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(first);
  return { socket, heard: () => heard, closed };
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
/** If this process was blocked for long, the server may close the connection. */
const untilAnswered = (port: number): Promise<void> =>
  vi.waitFor(async () => expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("answered"), PATIENCE);
/** More bytes than any buffer on the way can hold. */
const LONG = 64 * 1024 * 1024;
const PATIENCE = { timeout: 30_000, interval: 10 };
const SOON = { headersWithin: 100, requestWithin: 200, looksEvery: 20 };

describe("slow client [S6]", () => {
  test.for<[string, string]>([
    ["sends nothing", ""],
    ["never ends its headers", "GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n"],
    ["never ends its body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n12345"],
  ])("is closed with status 408 if it %s", async ([, first]) => {
    const { port } = await limited(SOON);
    const line = await connected(port, first);
    const dripping = setInterval(() => line.socket.write(first === "" ? "" : "X"), 10); // Sends single bytes, to never be silent.
    ended.push(() => clearInterval(dripping));
    await line.closed;
    expect(line.heard()).toMatch(/^HTTP\/1\.1 408 /);
    await untilAnswered(port);
  });

  test("is closed if it reads slowly, while a live connection stays", async () => {
    const telling = new Set<NodeJS.Timeout>();
    ended.push(() => telling.forEach((timer) => clearInterval(timer)));
    let isOver = false;
    const { port } = await limited({ stillFor: 400 }, (request, response) => {
      response.writeHead(200);
      if (request.url === "/live") telling.add(setInterval(() => response.write("still here\n"), 50));
      else response.once("close", () => (isOver = true)).end(Buffer.alloc(LONG));
    });
    const live = await connected(port, GET.replace("/ ", "/live "));
    const lazy = await connected(port, GET);
    lazy.socket.pause();
    await vi.waitFor(() => expect(isOver).toBe(true), PATIENCE);
    lazy.socket.resume();
    await lazy.closed;
    expect(lazy.socket.bytesRead).toBeLessThan(LONG);
    const told = live.heard().length;
    await vi.waitFor(() => expect(live.heard().length).toBeGreaterThan(told), PATIENCE);
    expect(live.socket.destroyed).toBe(false);
  });
});

describe("client with many connections [S6]", () => {
  test("blocks no others: the oldest idle ones are closed, with one log entry", async () => {
    const { port, warnings } = await limited({ most: 20 });
    const lines = await Promise.all(Array.from({ length: 20 }, () => connected(port)));
    for (let more = 0; more < 30; more++) lines.push(await connected(port));
    await untilAnswered(port);
    await Promise.all(lines.slice(0, 30).map(({ closed }) => closed));
    expect(warnings).toEqual([{ connections: 21, closed: 1, address: "shared" }]);
  });

  test("does not interrupt answers in progress, but unfinished requests", async () => {
    let answer: (() => void) | undefined;
    let begun = 0;
    const { port } = await limited({ most: 5 }, (request, response) => {
      begun++;
      request.resume();
      if (request.url === "/long") answer = () => response.end("at last");
      else request.on("end", () => response.end("answered"));
    });
    const long = await connected(port, GET.replace("/ ", "/long "));
    await vi.waitFor(() => expect(answer).toBeDefined());
    for (let slow = 2; slow <= 20; slow++) {
      await connected(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345");
      await vi.waitFor(() => expect(begun).toBe(slow), PATIENCE);
    }
    await untilAnswered(port);
    answer?.();
    await vi.waitFor(() => expect(long.heard()).toContain("at last"));
  });

  test("blocks no others if it reads no answers, and a live connection stays", async () => {
    let begun = 0;
    const { port } = await limited({ most: 3 }, (request, response) => {
      begun++;
      request.resume();
      if (request.url === "/live") response.write("told");
      else request.on("end", () => response.end(request.url === "/long" ? Buffer.alloc(LONG) : "answered"));
    });
    const live = await connected(port, GET.replace("/ ", "/live "));
    await vi.waitFor(() => expect(live.heard()).toContain("told"), PATIENCE);
    for (let unread = 2; unread <= 6; unread++) {
      const { socket } = await connected(port);
      socket.pause();
      socket.write(GET.replace("/ ", "/long "));
      await vi.waitFor(() => expect(begun).toBe(unread), PATIENCE);
    }
    await untilAnswered(port);
    expect(live.socket.destroyed).toBe(false);
  });

  test("loses its own connections, not those of other addresses", () => {
    const room = createConnectionRoom({ most: 1000, mostOfAddress: 3, shared: new Set(["10.0.0.7"]), log: silent });
    const from = (address: string): Socket => {
      const socket = new Socket();
      Object.defineProperty(socket, "remoteAddress", { value: address });
      room.admit(socket);
      return socket;
    };
    const other = from("10.0.0.1");
    const theirs = Array.from({ length: 5 }, () => from("10.0.0.2"));
    const shared = Array.from({ length: 5 }, () => from("10.0.0.7"));
    const local = Array.from({ length: 5 }, () => from("::ffff:127.0.0.1"));
    expect(theirs.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false]);
    expect([other, ...shared, ...local].some(({ destroyed }) => destroyed)).toBe(false);
  });

  test.for<[string, string | null]>([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["fe80::1", "fe80:0:0:0"],
    ["::6", "0:0:0:0"],
    ["127.0.0.1", null],
    ["::1", null],
    ["10.0.0.7", null],
    ["::ffff:10.0.0.7", null],
  ])("groups the address %s under %s", ([address, place]) => {
    expect(clientNetwork(address, new Set(["10.0.0.7"]))).toBe(place);
  });
});
