import { expect, test } from "vitest";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { startTracing } from "../../../team/src/operations/tracing.ts";
import { createTeamApp } from "../../../team/src/server/create-team-app.ts";
import { OPERATIONS } from "../../../team/src/server/open-api.ts";
import type { Json } from "../../support/cli.ts";
import type { TeamServer } from "../../../team/src/server/team-server.ts";

const pool = undefined as unknown as TeamServer["pool"]; // nothing is asked of the database
const observing = { metrics: createServerMetrics(pool), tracing: startTracing("isdlc-server", {}) };
const app = createTeamApp({ version: "1.2.3", ...observing } as unknown as TeamServer, null);

test("the description has every route of the API, and no other", () => {
  const named = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;
  const routes = app.routes.filter(({ path, method }) => path.startsWith("/api/") && method !== "ALL");
  const there = [...new Set(routes.map(({ method, path }) => named(method, path)))];
  expect(there.length).toBeGreaterThan(10);
  expect(OPERATIONS.map(({ method, path }) => named(method, path)).toSorted()).toEqual(there.toSorted());
});

test("it is served to everybody, with the schemas that requests are held against", async () => {
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
