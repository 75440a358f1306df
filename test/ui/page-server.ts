import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createChallenges } from "../../src/surfaces/web-ui/challenges.ts";
import { createApp } from "../../src/surfaces/web-ui/create-app.ts";
import type { Drivers } from "../../src/surfaces/web-ui/drivers.ts";
import { listen, type ListeningServer } from "../../src/surfaces/web-ui/listen.ts";
import { openRepository } from "../../src/surfaces/web-ui/repository.ts";
import { createSessions } from "../../src/surfaces/web-ui/sessions.ts";
import { createStatementSigning } from "../../src/surfaces/web-ui/statement-signing.ts";
import { removeTemporary } from "../support/remove-temporary.ts";
import { createListener } from "../../src/surfaces/web-ui/serve-page.ts";

export type PageResponse = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type PageServer = {
  readonly port: number;
  /** The header of a signed-in browser. */
  readonly session: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly warnings: readonly string[];
  /** Runs that the server asked to continue. */
  readonly driven: readonly string[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<PageResponse>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<PageResponse>;
  /** Sends raw bytes and returns the answer until the connection closes. */
  raw(text: string, wait?: number): Promise<string>;
};

type Surroundings = { readonly root: string; readonly env: Readonly<Record<string, string>> };

const started: ListeningServer[] = [];
const folders: string[] = [];
afterAll(async () => {
  await Promise.all(started.map((server) => server.close()));
  for (const folder of folders) removeTemporary(folder);
});

/** The web UI's server in this process, for a repository; it drives no runs. */
export async function startPageServer(
  { root, env }: Surroundings,
  opener = { name: "ada", isPerson: true },
): Promise<PageServer> {
  const web = mkdtempSync(join(tmpdir(), "isdlc-web-"));
  folders.push(web);
  mkdirSync(join(web, "assets"));
  writeFileSync(
    join(web, "index.html"),
    '<!doctype html><meta name="style-nonce" content="__STYLE_NONCE__"><p>the page</p>',
  );
  writeFileSync(join(web, "assets/app.js"), "export {};");
  writeFileSync(join(web, "diagram.html"), "<!doctype html>");
  const warnings: string[] = [];
  const driven: string[] = [];
  const drivers: Drivers = { continueRun: (_located, run) => void driven.push(run), troubleOf: () => null };
  const sessions = createSessions(Date.now, () => warnings.push("stolen"));
  let listening: ListeningServer | null = null;
  const app = createApp({
    repository: openRepository(root, env),
    sessions,
    challenges: createChallenges(Date.now),
    statements: createStatementSigning(Date.now),
    registration: null,
    origin: () => `http://localhost:${listening?.port ?? 0}`,
    drivers,
    opener,
    version: "0.0.0",
    web,
    warn: (warning) => warnings.push(warning),
  });
  const server = await listen(
    createListener(app, () => listening?.port ?? 0),
    { port: 0, isFixed: true },
  );
  listening = server;
  started.push(server);
  const { port } = server;
  const session = { Authorization: `Bearer ${sessions.exchange(sessions.createSecret()) ?? ""}` };
  const ask = (method: string, path: string, sent: PageRequest) => send(port, { method, path, ...sent });
  return {
    port,
    session,
    secret: sessions.createSecret(),
    warnings,
    driven,
    get: (path, headers = session) => ask("GET", path, { headers, body: null }),
    post: (path, body, headers = session) =>
      ask("POST", path, { headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) }),
    raw: (text, wait = 20_000) => rawAnswer(port, text, wait),
  };
}

type PageRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string | null };

function send(
  port: number,
  { method, path, headers, body }: PageRequest & { method: string; path: string },
): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { Host: `localhost:${port}`, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(parts).toString("utf8"),
            headers: response.headers,
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

function rawAnswer(port: number, text: string, wait: number): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(said);
    };
    const timer = setTimeout(end, wait);
    socket.on("data", (part) => (said += part.toString("latin1")));
    socket.on("close", end);
    socket.on("error", end);
  });
}
