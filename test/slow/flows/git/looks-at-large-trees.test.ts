import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listGits } from "../../../git/count-gits.ts";
import { looksAlike } from "../../../git/looks-alike.ts";
import { useRepository } from "../../../git/repository-fixture.ts";

const fixture = useRepository();

/** More files than the stat cache holds, in an index that one git process compares. */
const MANY = 1_501;
/** Number of files whose paths fill half a megabyte. */
const LARGE = 400;
const DEEP = `many/${`${"long-".repeat(48)}/`.repeat(6)}end`;

test.for([2, 3])("detects every change in a tree too large for the stat cache: seed %d", async (seed) => {
  for (let number = 0; number < MANY; number++) fixture.write(`many/${number}`, "");
  const gits = listGits(fixture.base);
  const seen = await looksAlike(fixture, seed);
  expect(seen.size).toBeGreaterThan(5);
  expect(gits().filter((line) => line.includes(" diff-files ")).length).toBeGreaterThan(0);
});

test("detects every change in a tree that two git processes compare", async () => {
  for (let number = 0; number < LARGE; number++) fixture.write(`${DEEP}/${number}`, `${number}\n`);
  fixture.git("add", "--all");
  expect(statSync(join(fixture.repo, ".git/index")).size).toBeGreaterThan(512 * 1024);
  expect((await looksAlike(fixture, 7)).size).toBeGreaterThan(5);
});
