import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../support/cli.ts";
import { startPageServer } from "./page-server.ts";

test.each([
  ["invalid JSON", "{"],
  ["a list", "[]"],
  ["a value of another type", '{"redo.limit":{"a":1}}'],
  ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0])],
  ["a folder", null],
])("answers requests for settings without a server error if the file has %s", async (_what, contents) => {
  const sandbox = await createSandbox();
  const server = await startPageServer(sandbox);
  const file = join(sandbox.config, "config.json");
  rmSync(file, { force: true });
  if (contents === null) mkdirSync(file);
  else writeFileSync(file, contents);
  const answers = [
    await server.get("/api/settings"),
    await server.post("/api/settings", { key: "redo.limit", value: "4" }),
    await server.post("/api/settings", { key: "redo.limit", value: "many" }),
    await server.post("/api/settings", { key: "no.such", value: "4" }),
    await server.get("/api/project"),
  ];
  expect(answers.map(({ status, body }) => [status < 500, status < 400 || body.includes('"fix"')])).toEqual(
    answers.map(() => [true, true]),
  );
  expect(server.warnings).toEqual([]);
});
