import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verbs } from "../../src/surfaces/cli/grammar/catalog.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/guides/trust.md"), "utf8");

/** Commands named in a row of the table. A task in words is `do`; `doctor --fix` is a use of `doctor`. */
function namedAs(kind: string): readonly string[] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${kind}: `)) ?? "";
  const named = [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
  const used = named.filter((name) => !name.includes(" --"));
  return used.map((name) => (name.startsWith("isdlc ") ? "do" : (name.split(" ")[0] ?? "")));
}

test.each(["read", "begin", "decide", "work"])("names every command in the table of permissions: %s", (kind) => {
  const known = verbs.filter((verb) => verb.kind === kind).map(({ name }) => name);
  expect(namedAs(kind).toSorted()).toEqual(known.toSorted());
});
