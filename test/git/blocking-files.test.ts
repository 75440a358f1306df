import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBounded } from "../../src/adapters/files/file-system.ts";
import { findBlockingFile } from "../../src/adapters/git/process/blocking-files.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../../src/adapters/git/process/git.ts";
import { toOutcome, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string): string => join(fixture.repo, path);

function pipe(path: string): string {
  rmSync(at(path), { recursive: true, force: true });
  execFileSync("mkfifo", [at(path)]);
  return at(path);
}

test.each([".gitignore", "src/.gitattributes", ".git/info/exclude", ".git/config"])(
  "names the pipe %s, for which git waits",
  async (path) => {
    fixture.write("src/a", "1\n");
    fixture.commitAll("one");
    fixture.write("src/b", "2\n");
    expect(await findBlockingFile(fixture.repo)).toBeNull();
    const file = pipe(path);
    expect(await findBlockingFile(fixture.repo)).toBe(file);
    const add = hardenedGit(fixture.repo, process.env)(["add", "--dry-run", "."], { timeoutMs: wholeTreeTimeoutMs });
    expect(await toOutcome(must(add, "add"))).toMatchObject({
      problem: "GIT_FAILED",
      detail: expect.stringContaining(`${file} is not a plain file`),
    });
  },
);

test("reads plain files up to a limit, and waits for no pipe", () => {
  writeFileSync(at("small"), "small");
  symlinkSync("small", at("link"));
  writeFileSync(at("large"), "");
  truncateSync(at("large"), 300 * 1024 ** 2);
  expect(readBounded(at("link"), 10).toString()).toBe("small");
  for (const path of [at("large"), pipe("pipe"), fixture.repo])
    expect(() => readBounded(path, 10)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
  expect(() => readBounded(at("small"), 4)).toThrow();
});
