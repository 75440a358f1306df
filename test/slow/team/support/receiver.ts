import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, vi } from "vitest";
import type { Json } from "../../../support/cli.ts";

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Json;
};

/** A web server that stores requests and answers as configured. */
export type Receiver = {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Sets the answer of a path from its next request on. Default: success. */
  answer(path: string, how: (response: ServerResponse) => void): void;
  at(path: string): readonly ReceivedRequest[];
  /** Resolves with the requests to a path as soon as there are this many. */
  until(path: string, count: number): Promise<readonly ReceivedRequest[]>;
};

const REQUEST_TIMEOUT = { timeout: 60_000, interval: 20 };

export async function createReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const answers = new Map<string, (response: ServerResponse) => void>();
  const http = createServer((request, response) => {
    const path = request.url ?? "";
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      received.push({ path, headers: request.headers, text, body: JSON.parse(text) });
      (answers.get(path) ?? ((how: ServerResponse) => void how.writeHead(204).end()))(response);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  afterAll(() => void (http.closeAllConnections(), http.close()));
  const at: Receiver["at"] = (path) => received.filter((one) => one.path === path);
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // listens on a port
    received,
    answer: (path, how) => void answers.set(path, how),
    at,
    until: (path, count) =>
      vi.waitFor(() => {
        const found = at(path);
        expect(found.length).toBeGreaterThanOrEqual(count);
        return found;
      }, REQUEST_TIMEOUT),
  };
}
