import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFilterAttributes } from "../../src/adapters/git/read/filter-attributes.ts";
import { countGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const attributes = () => createFilterAttributes({ top: fixture.repo, env: process.env });
const inTree = (path: string): string => join(fixture.repo, path);

describe("filter of a file", () => {
  test("starts no further git while attributes are unchanged", async () => {
    fixture.write(".gitattributes", "*.bin filter=lfs\n");
    fixture.commitAll("one");
    const ask = attributes();
    expect(await ask(["a.bin", "b/c.bin", "d.txt"])).toEqual(
      new Map([
        ["a.bin", "lfs"],
        ["b/c.bin", "lfs"],
      ]),
    );
    fixture.write("other", "1\n");
    fixture.commitAll("two");
    const gits = countGits(fixture.base);
    expect([...(await ask(["e.bin", "d.txt"])).keys()]).toEqual(["e.bin"]);
    expect(gits()).toBe(0);
  });

  const places: readonly { what: string; file: () => string }[] = [
    { what: "the top-level .gitattributes", file: () => inTree(".gitattributes") },
    { what: "a subfolder's .gitattributes", file: () => inTree("a/b/.gitattributes") },
    { what: "the repository's info/attributes", file: () => inTree(".git/info/attributes") },
    {
      what: "the user's default attributes file",
      file: () => join(fixture.base, "home", ".config", "git", "attributes"),
    },
    { what: "the user's configured attributes file", file: () => join(fixture.base, "home", "named") },
  ];
  test.each(places)("follows $what immediately, even with unchanged times", async ({ what, file }) => {
    if (what === "the user's configured attributes file")
      fixture.git("config", "--global", "core.attributesFile", "~/named");
    const ask = attributes();
    const filterOf = async (): Promise<string | undefined> => (await ask(["a/b/x"])).get("a/b/x");
    mkdirSync(dirname(file()), { recursive: true });
    expect(await filterOf()).toBeUndefined();
    writeFileSync(file(), "x filter=one\n");
    expect(await filterOf()).toBe("one");
    replaceQuietly(file(), "one", "two");
    expect(await filterOf()).toBe("two");
  });

  test("uses staged attributes if the working tree has none", async () => {
    const ask = attributes();
    const filterOf = async (): Promise<string | undefined> => (await ask(["x"])).get("x");
    fixture.write(".gitattributes", "x filter=one\n");
    fixture.git("add", ".gitattributes");
    rmSync(inTree(".gitattributes"));
    expect(await filterOf()).toBe("one");
    appendFileSync(inTree(".gitattributes"), "x filter=two\n");
    fixture.git("add", ".gitattributes");
    rmSync(inTree(".gitattributes"));
    expect(await filterOf()).toBe("two");
  });
});
