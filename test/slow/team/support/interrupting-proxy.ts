import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export type InterruptingProxy = {
  readonly url: string;
  /**
   * Calls `act` at the next request to a matching path: before the server gets it, or before its answer is delivered.
   */
  interrupt(path: RegExp, when: "before" | "after", act: () => void): void;
};

/** Proxy between a user's program and the server. An interrupted request is never answered. */
export async function createInterruptingProxy(server: string): Promise<InterruptingProxy> {
  let waiting: { path: RegExp; when: "before" | "after"; act: () => void } | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", method = "GET", headers } = request;
    const found = waiting?.path.test(url) === true ? waiting : null;
    if (found !== null) waiting = null;
    if (found?.when === "before") return void (found.act(), response.destroy());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = "" } = headers;
    const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
    const sent = { method, headers: { authorization, "content-type": "application/json" }, ...body };
    const answered = await fetch(new URL(url, server), sent);
    const text = await answered.text();
    if (found !== null) return void (found.act(), response.destroy());
    response.writeHead(answered.status, { "content-type": "application/json" }).end(text);
  };
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  afterAll(() => void (http.closeAllConnections(), http.close()));
  const { port } = http.address() as AddressInfo; // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    interrupt: (path, when, act) => void (waiting = { path, when, act }),
  };
}
