import { expect, test } from "vitest";
import { localOrigins, diagramPolicy, pagePolicy, findRefusal, sessionIn } from "../../src/surfaces/web-ui/guard.ts";

const ORIGINS = localOrigins(21_000);
const HOST = "localhost:21000";
const JSON_TYPE = "application/json";

type Row = [name: string, method: string, path: string, headers: Record<string, string>, status: number | null];

test.for<Row>([
  [
    "the page from the address bar",
    "GET",
    "/",
    { host: HOST, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    null,
  ],
  ["the page by IPv4 address", "GET", "/", { host: "127.0.0.1:21000" }, null],
  ["the page by IPv6 address", "GET", "/", { host: "[::1]:21000" }, null],
  ["a host in capitals", "GET", "/", { host: "LOCALHOST:21000" }, null],
  [
    "a request by the page itself",
    "POST",
    "/api/x",
    { host: HOST, origin: `http://${HOST}`, "sec-fetch-site": "same-origin", "content-type": JSON_TYPE },
    null,
  ],
  ["a missing Host", "GET", "/", {}, 403],
  ["a different host name (rebinding)", "GET", "/", { host: "evil.example:21000" }, 403],
  ["a host that only starts like ours", "GET", "/", { host: "127.0.0.1.evil.com:21000" }, 403],
  ["our host at another port", "GET", "/", { host: "localhost:80" }, 403],
  ["our host without a port", "GET", "/", { host: "localhost" }, 403],
  ["an invalid Host", "GET", "/", { host: "[bad host" }, 403],
  ["the address of all interfaces", "GET", "/", { host: "0.0.0.0:21000" }, 403],
  [
    "a different site as origin",
    "POST",
    "/api/x",
    { host: HOST, origin: "https://evil.example", "content-type": JSON_TYPE },
    403,
  ],
  ["an opaque origin", "POST", "/api/x", { host: HOST, origin: "null", "content-type": JSON_TYPE }, 403],
  [
    "our host over another scheme",
    "POST",
    "/api/x",
    { host: HOST, origin: `https://${HOST}`, "content-type": JSON_TYPE },
    403,
  ],
  [
    "our other host as origin",
    "POST",
    "/api/x",
    { host: HOST, origin: "http://127.0.0.1:21000", "content-type": JSON_TYPE },
    403,
  ],
  ["a cross-site request", "GET", "/api/live", { host: HOST, "sec-fetch-site": "cross-site" }, 403],
  ["a same-site request from another port", "GET", "/api/live", { host: HOST, "sec-fetch-site": "same-site" }, 403],
  ["a cross-site frame", "GET", "/", { host: HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 403],
  [
    "an API path from the address bar",
    "GET",
    "/api/runs",
    { host: HOST, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    403,
  ],
  ["a form post", "POST", "/api/x", { host: HOST, "content-type": "text/plain" }, 415],
  [
    "a form post that imitates JSON",
    "POST",
    "/api/x",
    { host: HOST, "content-type": "text/plain; application/json" },
    415,
  ],
  ["a missing content type", "POST", "/api/x", { host: HOST }, 415],
  ["an unused method", "PUT", "/api/x", { host: HOST, "content-type": JSON_TYPE }, 405],
  ["a preflight request", "OPTIONS", "/api/x", { host: HOST }, 405],
  ["a change outside of the API", "POST", "/", { host: HOST, "content-type": JSON_TYPE }, 405],
])("checks %s: %s %s [S6]", ([, method, path, headers, status]) => {
  expect(findRefusal({ method, path, headers }, ORIGINS)?.status ?? null).toBe(status);
});

test.for<[string | undefined, string | null]>([
  ["Bearer abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"],
  ["bearer abcdefghijklmnopqrstuvwxyz", null],
  ["Bearer short", null],
  ["Basic abcdefghijklmnopqrstuvwxyz", null],
  [`Bearer ${"a".repeat(200)}`, null],
  ["Bearer abcdefghijklmnopqrstuvwxyz extra", null],
  [undefined, null],
])("reads from %j the session %j [S6]", ([header, session]) => {
  expect(sessionIn(header)).toBe(session);
});

test("allows only own scripts, no frames and no other origins in the policy [S6, S7]", () => {
  const policy = pagePolicy("n0nce");
  for (const part of [
    "default-src 'none'",
    "script-src 'self';",
    "frame-ancestors 'none'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy).toContain(part);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(diagramPolicy).toContain("default-src 'none'");
  expect(diagramPolicy).toContain("script-src 'self'");
  expect(diagramPolicy).not.toContain("connect-src");
});
