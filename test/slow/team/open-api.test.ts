import { expect, test } from "vitest";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { startTracing } from "../../../team/src/operations/tracing.ts";
import { createTeamApp, type PageParts } from "../../../team/src/server/create-team-app.ts";
import { OPERATIONS } from "../../../team/src/server/open-api.ts";
import { REPORTS } from "../../../team/src/server/report-listener.ts";
import type { Json } from "../../support/cli.ts";
import type { TeamServer } from "../../../team/src/server/team-server.ts";

const pool = undefined as unknown as TeamServer["pool"]; // no request reaches the database
const observing = { metrics: createServerMetrics(pool), tracing: startTracing("isdlc-server", {}) };
const page = { trees: {}, origins: () => ["https://isdlc.example.org"], provider: {}, web: import.meta.dirname };
const app = createTeamApp({ version: "1.2.3", ...observing } as unknown as TeamServer, page as unknown as PageParts);

test("describes exactly the routes of the server", () => {
  const named = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;
  const routes = app.routes.filter(({ path, method }) => method !== "ALL" && path !== "*" && path !== "/*");
  const there = [...new Set([named("post", REPORTS), ...routes.map(({ method, path }) => named(method, path))])];
  expect(there.length).toBeGreaterThan(50);
  expect(OPERATIONS.map(({ method, path }) => named(method, path)).toSorted()).toEqual(there.toSorted());
});

test("serves the description without sign-in, with the validated schemas", async () => {
  const answer = await app.request("/openapi.json");
  expect(answer.status).toBe(200);
  const described = (await answer.json()) as Json;
  expect(described).toMatchObject({ openapi: "3.1.0", info: { version: "1.2.3" }, security: [{ token: [] }] });
  const { post } = described.paths["/api/runs/{run}/answer"];
  expect(post.parameters).toMatchObject([{ name: "run", in: "path", required: true }]);
  const { schema } = post.requestBody.content["application/json"];
  expect(schema).toMatchObject({ additionalProperties: false, required: ["wait", "shown", "option"] });
  expect(schema.properties.option).toMatchObject({ type: "string", maxLength: 60 });
});

test("describes web UI requests with a cookie and others with a token", async () => {
  const { components, paths } = (await (await app.request("/openapi.json")).json()) as Json;
  expect(components.securitySchemes.cookie).toMatchObject({ type: "apiKey", in: "cookie", name: "__Host-isdlc" });
  expect(components.securitySchemes.cookie.description).toContain("Origin");
  expect(paths["/api/page/runs/{run}/answer"].post).toMatchObject({ security: [{ cookie: [] }], tags: ["page"] });
  expect(paths["/api/page/session"].post).toMatchObject({ security: [], tags: ["page"] });
  expect(paths["/api/runs/{run}/answer"].post).not.toHaveProperty("security");
  expect(Object.keys(paths["/api/page/live"].get.responses[200].content)).toEqual(["text/event-stream"]);
  expect(paths["/sign-in/callback"].get.responses).toHaveProperty("303");
});

test("rejects web UI requests without their cookie or origin [S6]", async () => {
  const needing = OPERATIONS.filter(({ by }) => by === "page");
  expect(needing.length).toBeGreaterThan(20);
  for (const { method, path } of needing) {
    const at = `https://isdlc.example.org${path.replaceAll(/:\w+/g, "x")}`;
    const headers = { host: "isdlc.example.org", "content-type": "application/json" };
    const sent = { method: method.toUpperCase(), ...(method === "post" ? { body: "{}" } : {}) };
    expect((await app.request(at, { ...sent, headers })).status, path).toBe(method === "post" ? 403 : 401);
    const own = { ...headers, origin: "https://isdlc.example.org" };
    expect((await app.request(at, { ...sent, headers: own })).status, path).toBe(401);
  }
});
