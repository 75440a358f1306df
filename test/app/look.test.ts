import { beforeAll, expect, test } from "vitest";
import type * as z from "zod/mini";
import { FinishedRuns, ReviewHistory } from "../../src/schema/api-history.ts";
import { ItemList } from "../../src/schema/api-project.ts";
import { OpenWait, StatusView } from "../../src/schema/api-status.ts";
import { createSandbox, type Json, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});

async function told(...args: string[]): Promise<Json> {
  const { ok, ...rest } = JSON.parse((await sandbox.person(...args, "--json")).stdout);
  expect(ok).toBe(true);
  return rest;
}

/** Fails if the value has keys missing in the schema. */
function expectToFit(schema: z.ZodMiniType, value: unknown): void {
  expect(schema.parse(value)).toEqual(value);
}

test("matches the application schemas at a gate and after the end", async () => {
  await sandbox.script("add", "a search field");
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const status = await told("status");
  expect(status.run.waiting.kind).toBe("gate");
  expectToFit(StatusView, status.run);
  const gate = await told("gate", "--diff");
  expect(gate).toMatchObject({ waiting: { id: status.run.waiting.id }, files: expect.any(Array) });
  expect(gate.shown).not.toBe("");
  expectToFit(OpenWait, gate);
  expectToFit(OpenWait, await told("gate"));

  await told("continue");
  await told("cancel", "--reason", "enough");
  const after = await told("history", "--all");
  expect(after.runs).toMatchObject([{ id: status.run.id, how: "cancelled" }]);
  expectToFit(FinishedRuns, after);
  expectToFit(StatusView, (await told("status", "--run", status.run.id)).run);
  const reviews = await told("history", "--reviews");
  expect(reviews.reviews.length).toBeGreaterThan(0);
  expectToFit(ReviewHistory, reviews);
  const items = await told("items");
  expect(items.items).toMatchObject([{ status: "raw" }]);
  expectToFit(ItemList, items);
});
