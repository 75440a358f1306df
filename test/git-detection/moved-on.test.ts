import { expect, test } from "vitest";
import { codeMovedOn } from "../../src/adapters/git/snapshot/git-moved-on.ts";
import { countGits } from "../git/count-gits.ts";
import { useRepository } from "../git/repository-fixture.ts";

const fixture = useRepository();
const movedOn = (...commits: string[]) => codeMovedOn(fixture.repo, commits, process.env);

function commit(...paths: string[]): string {
  for (const path of paths) fixture.write(path, `${path} ${Math.random()}`);
  return fixture.commitAll(paths.join(" "));
}

const changes: readonly (readonly [string, readonly string[], boolean])[] = [
  ["source code", ["src/a.ts"], true],
  ["a file in the top folder", ["README.md"], true],
  ["documents of an item", ["docs/requirements/one/meta.json"], false],
  ["documents of a feature", ["docs/features/one/spec.md"], false],
  ["the backlog", ["BACKLOG.md"], false],
  ["the backlog and documents of an item", ["BACKLOG.md", "docs/requirements/one/meta.json"], false],
  ["a different document", ["docs/guide.md"], true],
  ["a folder with a longer name", ["docs/requirements-of-old/x.md"], true],
  ["an item and another document", ["docs/requirements/one/meta.json", "docs/guide.md"], true],
  ["an item and the code", ["docs/requirements/one/meta.json", "src/a.ts"], true],
  ["a name with a line break and a tab", ["a\nb\tdocs"], true],
];

test.each(changes)("decides if code changed since a commit: %s", async (_, paths, expected) => {
  const before = commit("src/a.ts", "docs/requirements/one/meta.json");
  commit(...paths);
  expect(await movedOn(before)).toEqual(new Map([[before, expected]]));
});

test("answers for many commits, short hashes and merges, without unknown ones", async () => {
  const first = commit("src/a.ts");
  fixture.git("switch", "--quiet", "--create", "other");
  const other = commit("src/b.ts");
  fixture.git("switch", "--quiet", "main");
  commit("docs/requirements/one/meta.json");
  fixture.git("merge", "--quiet", "--no-edit", "other");
  const merge = fixture.git("rev-parse", "HEAD");
  commit("docs/features/one/spec.md");
  const asked = [first, first.slice(0, 9), other, merge, "0".repeat(40), "f".repeat(9)];
  expect(await movedOn(...asked)).toEqual(
    new Map([
      [first, true],
      [first.slice(0, 9), true],
      [other, false],
      [merge, false],
    ]),
  );
});

test("treats a file named like a requested commit as a difference", async () => {
  const first = commit("src/a.ts");
  const second = commit("docs/requirements/one/meta.json");
  commit(first, second);
  expect(await movedOn(first, second)).toEqual(
    new Map([
      [first, true],
      [second, true],
    ]),
  );
});

test("starts one git, and a second one only for document folders", async () => {
  const before = [1, 2, 3].map(() => commit("src/a.ts"));
  commit("src/a.ts", "docs/requirements/one/meta.json");
  const gits = countGits(fixture.base);
  expect([...(await movedOn(...before)).values(), gits()]).toEqual([true, true, true, 1]);
  const analysed = fixture.git("rev-parse", "HEAD");
  commit("docs/requirements/two/meta.json");
  const count = gits();
  expect([...(await movedOn(analysed)).values(), gits() - count]).toEqual([false, 2]);
});
