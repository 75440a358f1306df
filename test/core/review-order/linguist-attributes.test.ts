import { expect, test } from "vitest";
import { attributeFolders, declaredFiles } from "../../../src/core/review-order/linguist-attributes.ts";

const declared = (path: string, attributes: Readonly<Record<string, string>>): string | undefined =>
  declaredFiles([path], new Map(Object.entries(attributes))).get(path);

test.each([
  ["a name in any folder", "src/api.gen.ts", { "": "*.gen.ts linguist-generated" }, true],
  ["a path from the root", "api/client.ts", { "": "/api/** linguist-generated=true" }, true],
  ["a path elsewhere", "src/api/client.ts", { "": "/api/** linguist-generated=true" }, false],
  ["folders at any depth", "a/b/gen/x.ts", { "": "**/gen/*.ts linguist-vendored" }, true],
  ["a star inside one folder", "gen/a/x.ts", { "": "gen/*.ts linguist-generated" }, false],
  ["a withdrawn declaration", "x.ts", { "": "*.ts linguist-generated\nx.ts -linguist-generated" }, false],
  [
    "a deeper file that withdraws it",
    "a/x.ts",
    { "": "*.ts linguist-generated", a: "*.ts linguist-generated=false" },
    false,
  ],
  ["a deeper file", "a/x.ts", { a: "x.ts linguist-generated" }, true],
  ["another attribute", "x.ts", { "": "*.ts text eol=lf" }, false],
  ["a comment", "x.ts", { "": "# *.ts linguist-generated" }, false],
  ["a character class, which is not read", "x.ts", { "": "[a-z].ts linguist-generated" }, false],
  ["a name that only ends the same", "my.ts", { "": "y.ts linguist-generated" }, false],
])("reads %s", (_, ...row) => {
  const [path, attributes, isDeclared] = row as [string, Record<string, string>, boolean]; // as in the table
  expect(declared(path, attributes) !== undefined).toBe(isDeclared);
});

test("names the attribute, and lists folders from the root", () => {
  expect(declared("x.ts", { "": "x.ts linguist-vendored" })).toBe("linguist-vendored in .gitattributes");
  expect(attributeFolders("a/b/c.ts")).toEqual(["", "a", "a/b"]);
});
