import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export type InterruptingProxy = {
  readonly url: string;
  /** At the next request to such a path: does it before the server hears of it, or before its answer is told. */
  interrupt(path: RegExp, when: "before" | "after", act: () => void): void;
};

/** Stands between a person's program and the server. A request that was interrupted is never answered. */
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
  const { port } = http.address() as AddressInfo; // listens at a port
  return {
    url: `http://127.0.0.1:${port}`,
    interrupt: (path, when, act) => void (waiting = { path, when, act }),
  };
}
