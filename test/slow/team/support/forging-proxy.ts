import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export type Body = Readonly<Record<string, unknown>>;
/** Returns the forged body, or the same body to leave it unchanged. */
export type Forge = (body: Body, path: string) => Body;

export type ForgingProxy = {
  readonly url: string;
  /**
   * Changes requests to matching paths. If the server refuses a forged one and `retries` is set, sends the original.
   */
  forge(path: RegExp, forge: Forge, retries?: boolean): void;
  /** Number of forged requests that the server answered with 200, and of all others. */
  readonly count: { accepted: number; refused: number };
};

/** Proxy between a program and the server that changes requests. */
export async function createForgingProxy(server: string): Promise<ForgingProxy> {
  let forging: { path: RegExp; forge: Forge; retries: boolean } | null = null;
  const count = { accepted: 0, refused: 0 };
  const ask = async ({ url = "", method = "GET", headers }: IncomingMessage, text: string | null) => {
    const { authorization = "" } = headers;
    const body = text === null ? {} : { body: text };
    const sent = { method, headers: { authorization, "content-type": "application/json" }, ...body };
    const answered = await fetch(new URL(url, server), sent);
    return { status: answered.status, text: await answered.text() };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const honest = request.method === "POST" ? Buffer.concat(chunks).toString("utf8") : null;
    const { url = "" } = request;
    const forged = forging?.path.test(url) === true ? forgedText(forging.forge, honest, url) : honest;
    let answered = await ask(request, forged);
    if (forged !== honest) {
      const isAccepted = answered.status === 200 && !answered.text.startsWith('{"ok":false');
      count[isAccepted ? "accepted" : "refused"]++;
      if (!isAccepted && forging?.retries === true) answered = await ask(request, honest);
    }
    response.writeHead(answered.status, { "content-type": "application/json" }).end(answered.text);
  };
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  afterAll(() => void (http.closeAllConnections(), http.close()));
  const { port } = http.address() as AddressInfo; // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    forge: (path, forge, retries = false) => void (forging = { path, forge, retries }),
    count,
  };
}

function forgedText(forge: Forge, honest: string | null, url: string): string | null {
  if (honest === null) return null;
  const body = JSON.parse(honest) as Body;
  const forged = forge(body, url);
  return forged === body ? honest : JSON.stringify(forged);
}
