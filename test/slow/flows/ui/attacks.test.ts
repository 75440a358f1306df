import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plainText } from "../../../../src/views/plain-text.ts";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";
import { type PageServer, startPageServer } from "../../../ui/page-server.ts";

const HOSTILE = `# Plan <script>alert(1)</script>\n\n<img src=x onerror="alert(1)">\n[x](javascript:alert(1))\n\u001b]52;c;aGk=\u0007\n`;

async function waiting(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ writes: { "{item}/plan.md": HOSTILE } }] } });
  expect(await sandbox.script("add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  return sandbox;
}

const alive = async (server: PageServer): Promise<void> => {
  expect((await server.get("/api/runs")).status).toBe(200);
};

describe.concurrent("web UI server [S6]", () => {
  test("rejects requests without a session and accepts a link's secret once", async () => {
    const server = await startPageServer(await waiting());
    for (const path of ["/api/runs", "/api/project", "/api/live", "/api/items", "/api/charts", "/api/settings"]) {
      expect((await server.get(path, {})).status).toBe(401);
      expect((await server.get(path, { Authorization: `Bearer ${"x".repeat(43)}` })).status).toBe(401);
      expect((await server.get(path, { Cookie: server.session["Authorization"] ?? "" })).status).toBe(401);
    }
    expect((await server.post("/api/session", { secret: "x" }, {})).status).toBe(401);
    expect((await server.post("/api/session", { secret: server.secret }, {})).status).toBe(200);
    expect((await server.post("/api/session", { secret: server.secret }, {})).status).toBe(401);
    expect(server.warnings).toEqual(["stolen"]);
  });

  test("checks Host, Origin and Sec-Fetch-Site on every route, including the stream", async () => {
    const server = await startPageServer(await waiting());
    const hostile = [
      { Host: "evil.example" },
      { Host: `127.0.0.1.evil.com:${server.port}` },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ];
    for (const headers of hostile)
      for (const path of ["/", "/assets/app.js", "/api/runs", "/api/live", "/diagram.html"])
        expect((await server.get(path, { ...server.session, ...headers })).status).toBe(403);
    const { headers } = await server.get("/api/runs");
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const upgraded = await server.raw(
      `GET /api/live HTTP/1.1\r\nHost: localhost:${server.port}\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      2000,
    );
    expect(upgraded).toMatch(/^HTTP\/1\.1 4/);
    expect(await server.raw("GET / HTTP/1.1\r\nHost: [bad host\r\n\r\n", 2000)).toMatch(/^HTTP\/1\.1 4/);
    await alive(server);
  });

  test("accepts changes only as POST with valid JSON", async () => {
    const sandbox = await waiting();
    const server = await startPageServer(sandbox);
    const { id, waiting: wait } = await sandbox.status();
    const answer = { wait: wait.id, shown: "x", option: "continue" };
    expect((await server.get(`/api/runs/${id}/answer`)).status).toBe(404);
    expect(
      (await server.post(`/api/runs/${id}/answer`, answer, { ...server.session, "Content-Type": "text/plain" })).status,
    ).toBe(415);
    for (const body of [
      null,
      1,
      "x",
      [],
      {},
      { ...answer, more: 1 },
      { ...answer, comments: [{ id: "1" }] },
      { ...answer, __proto__: null, option: 3 },
    ])
      expect((await server.post(`/api/runs/${id}/answer`, body)).status).toBe(400);
    expect(
      await server.raw(
        `POST /api/runs/${id}/answer HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: ${server.session["Authorization"]}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{,}`,
        2000,
      ),
    ).toMatch(/^HTTP\/1\.1 400/);
    expect((await sandbox.status()).waiting.id).toBe(wait.id);
  });

  test("serves only listed documents, runs and assets", async () => {
    const sandbox = await waiting();
    const server = await startPageServer(sandbox);
    writeFileSync(join(sandbox.base, "secret.txt"), "TOP-SECRET");
    symlinkSync(join(sandbox.base, "secret.txt"), join(sandbox.root, "link.md"));
    const { id } = await sandbox.status();
    const documents = ["../secret.txt", "link.md", "/etc/passwd", "README.md", ".git/config", ".isdlc/state.json", ""];
    for (const path of documents) {
      const found = await server.get(`/api/runs/${id}/document?path=${encodeURIComponent(path)}`);
      expect([path, found.status]).toEqual([path, 404]);
    }
    for (const run of [
      "..",
      "..%2f..%2fetc",
      "x",
      "20261116-021514275-aaaa",
      "%00",
      encodeURIComponent("../../tree"),
    ]) {
      const found = await server.get(`/api/runs/${run}`);
      expect([run, found.status >= 400 || found.body.includes("the page")]).toEqual([run, true]);
    }
    for (const path of [
      "//etc/passwd",
      "/..%2f..%2fetc/passwd",
      "/assets/..%2f..%2f..%2fetc%2fpasswd",
      "/assets/../../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
    ]) {
      const said = await server.raw(
        `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\nConnection: close\r\n\r\n`,
        3000,
      );
      expect(said).not.toContain("root:");
      expect(said).toMatch(/the page|^HTTP\/1\.1 4/);
    }
    await alive(server);
  });

  test("rejects oversized requests and keeps running", async () => {
    const server = await startPageServer(await waiting());
    const large = await server
      .post("/api/session", { secret: "x".repeat(3 * 1024 * 1024) }, {})
      .catch(() => ({ status: 413 }));
    expect(large.status).toBe(413);
    const declared = await server.raw(
      `POST /api/session HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n{`,
      3000,
    );
    expect(declared).toMatch(/^HTTP\/1\.1 413/);
    const headers = Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`).join("\r\n");
    expect(await server.raw(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\n${headers}\r\n\r\n`, 3000)).toMatch(
      /^HTTP\/1\.1 4|^$/,
    );
    expect(
      await server.raw(`GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`, 3000),
    ).toMatch(/^HTTP\/1\.1 4|^$/);
    expect(await server.raw("\u0000\u0001nonsense\r\n\r\n", 3000)).toMatch(/^HTTP\/1\.1 400|^$/);
    await alive(server);
  });

  test("disconnects clients that send headers or body too slowly", async () => {
    const server = await startPageServer(await waiting());
    const started = performance.now();
    const [head, body] = await Promise.all([
      server.raw(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\nX-Slow: `),
      server.raw(
        `POST /api/session HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
      ),
    ]);
    expect([head, body].join("")).toContain("408");
    expect(performance.now() - started).toBeLessThan(45_000); // ten seconds, and more on a busy machine
    await alive(server);
  });
});

describe.concurrent("text of agents and repositories [S7]", () => {
  test("is served as JSON, and the page has a strict content security policy", async () => {
    const sandbox = await waiting();
    const server = await startPageServer(sandbox);
    const { id } = await sandbox.status();
    const gate = await server.get(`/api/runs/${id}/gate`);
    expect(JSON.parse(gate.body).documents[0].text).toBe(plainText(HOSTILE));
    expect(gate.headers).toMatchObject({
      "content-type": expect.stringContaining("application/json"),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    const page = await server.get("/runs/anything", {});
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.headers["x-frame-options"]).toBe("DENY");
    const nonce = /content="([^"]+)"/.exec(page.body)?.[1] ?? "";
    expect(page.headers["content-security-policy"]).toContain(`'nonce-${nonce}'`);
    expect((await server.get("/", {})).body).not.toContain(nonce);
  });
});
