import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.ts";

test("excludes translations of the schema library from each bundle", async () => {
  const folder = dirname(await builtProgram());
  const bundles = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  expect(bundles).toContain("verbs.cjs");
  const translated = bundles.filter((name) => readFileSync(join(folder, name), "utf8").includes("Ungültige Eingabe"));
  expect(translated).toEqual([]);
});

test("keeps names of server functions in stack traces despite minified bundles", async () => {
  const load = createRequire(await builtProgram());
  const { runUi, ui } = load("./ui.cjs") as Record<string, () => void>;
  const { serve } = load("./mcp.cjs") as Record<string, () => void>;
  expect([runUi?.name, ui?.name, serve?.name]).toEqual(["runUi", "ui", "serve"]);
});

test("fails the size check above 10 MB and lists the large files", () => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-package-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(import.meta.dirname, "../../scripts/package-size.mjs");
  const check = () => spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "sample", version: "1.0.0" }));
  writeFileSync(join(folder, "large.js"), randomBytes(9_900_000));
  expect(check()).toMatchObject({ status: 0 });
  writeFileSync(join(folder, "more.js"), randomBytes(200_000));
  expect(check()).toMatchObject({ status: 1, stdout: expect.stringContaining("9.90 MB  large.js") });
});
