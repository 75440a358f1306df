import { expect, test } from "vitest";
import { localOrigins, diagramPolicy, pagePolicy, findRefusal, sessionIn } from "../../src/surfaces/web-ui/guard.ts";

const ORIGINS = localOrigins(21_000);
const HOST = "localhost:21000";
const JSON_TYPE = "application/json";

type Row = [name: string, method: string, path: string, headers: Record<string, string>, status: number | null];

test.for<Row>([
  [
    "the page, typed into the address bar",
    "GET",
    "/",
    { host: HOST, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    null,
  ],
  ["the page, by its number", "GET", "/", { host: "127.0.0.1:21000" }, null],
  ["the page, by its IPv6 number", "GET", "/", { host: "[::1]:21000" }, null],
  ["a name in capitals", "GET", "/", { host: "LOCALHOST:21000" }, null],
  [
    "a request of the page itself",
    "POST",
    "/api/x",
    { host: HOST, origin: `http://${HOST}`, "sec-fetch-site": "same-origin", "content-type": JSON_TYPE },
    null,
  ],
  ["no Host", "GET", "/", {}, 403],
  ["another name that leads here (rebinding)", "GET", "/", { host: "evil.example:21000" }, 403],
  ["a name that begins like ours", "GET", "/", { host: "127.0.0.1.evil.com:21000" }, 403],
  ["our name at another port", "GET", "/", { host: "localhost:80" }, 403],
  ["our name without a port", "GET", "/", { host: "localhost" }, 403],
  ["a Host that is none", "GET", "/", { host: "[bad host" }, 403],
  ["the address of every interface", "GET", "/", { host: "0.0.0.0:21000" }, 403],
  ["another site", "POST", "/api/x", { host: HOST, origin: "https://evil.example", "content-type": JSON_TYPE }, 403],
  ["a page without an origin", "POST", "/api/x", { host: HOST, origin: "null", "content-type": JSON_TYPE }, 403],
  [
    "our own name over another scheme",
    "POST",
    "/api/x",
    { host: HOST, origin: `https://${HOST}`, "content-type": JSON_TYPE },
    403,
  ],
  [
    "our other name as origin",
    "POST",
    "/api/x",
    { host: HOST, origin: "http://127.0.0.1:21000", "content-type": JSON_TYPE },
    403,
  ],
  ["another site, told by the browser", "GET", "/api/live", { host: HOST, "sec-fetch-site": "cross-site" }, 403],
  [
    "another port of this machine, told by the browser",
    "GET",
    "/api/live",
    { host: HOST, "sec-fetch-site": "same-site" },
    403,
  ],
  [
    "another site that frames the page",
    "GET",
    "/",
    { host: HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    403,
  ],
  [
    "an API address typed into the address bar",
    "GET",
    "/api/runs",
    { host: HOST, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    403,
  ],
  ["a form", "POST", "/api/x", { host: HOST, "content-type": "text/plain" }, 415],
  [
    "a form that looks like JSON",
    "POST",
    "/api/x",
    { host: HOST, "content-type": "text/plain; application/json" },
    415,
  ],
  ["no content type", "POST", "/api/x", { host: HOST }, 415],
  ["a method that is not used", "PUT", "/api/x", { host: HOST, "content-type": JSON_TYPE }, 405],
  ["asking what would be allowed", "OPTIONS", "/api/x", { host: HOST }, 405],
  ["a change outside of the API", "POST", "/", { host: HOST, "content-type": JSON_TYPE }, 405],
])("S6: %s → %s %s", ([, method, path, headers, status]) => {
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
])("S6: the session in %j is %j", ([header, session]) => {
  expect(sessionIn(header)).toBe(session);
});

test("S6, S7: the policy lets in no script but our files, no frame around the page and no request to anywhere else", () => {
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
