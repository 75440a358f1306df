import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { builtProgram } from "../support/built-program.ts";

test("no bundle carries the translations of the schema library, which one careless use of it brings along", async () => {
  const folder = dirname(await builtProgram());
  const bundles = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  expect(bundles).toContain("verbs.cjs");
  const translated = bundles.filter((name) => readFileSync(join(folder, name), "utf8").includes("Ungültige Eingabe"));
  expect(translated).toEqual([]);
});
