import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sandboxLimits, writtenEntries } from "../../src/adapters/checks/reports/sandbox-limits.ts";

let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "isdlc-limits-"));
  mkdirSync(join(home, ".config"));
  writeFileSync(join(home, ".config/tool.json"), "{}");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const limits = (...failures: string[]): string[] => sandboxLimits(failures, { root: "/work/app", home, offline: true });

describe("sandbox limits of a failed test", () => {
  test.each([
    [
      "by Node outside of the project",
      "EROFS: read-only file system, open '/var/lib/x/a.db'",
      "isdlc trust --allow write:/var/lib/x",
    ],
    ["by Python", "OSError: [Errno 30] Read-only file system: '/opt/cache/a'", "isdlc trust --allow write:/opt/cache"],
    ["by a shell", "touch: cannot touch '/srv/x/y': Read-only file system", "isdlc trust --allow write:/srv/x"],
    ["by a dependency", "EROFS: read-only file system, open '/work/app/node_modules/a/b'", "read-only for tests"],
    ["by missing permissions", "EACCES: permission denied, mkdir '/srv/data/x'", "isdlc trust --allow write:/srv/data"],
    ["by a host name", "getaddrinfo ENOTFOUND registry.example.org", "isdlc trust --allow network"],
    ["by docker", "Cannot connect to the Docker daemon at unix:///x", "isdlc trust --allow docker"],
  ])("include the allowing command for a failure %s", (_what, text, allow) => {
    expect(limits(text).join()).toContain(allow);
  });

  test("include a hidden file of the home folder", () => {
    const file = join(home, ".config/tool.json");
    expect(limits(`ENOENT: no such file or directory, open '${file}'`).join()).toContain(`--allow read:${file}`);
  });
});

test.each([
  ["a failed assertion", "expected 1 to be 2"],
  ["a missing file", "ENOENT: no such file or directory, open '/nowhere/x'"],
  ["a file of the project", "EACCES: permission denied, open '/work/app/src/a'"],
  ["empty output", ""],
])("reports no limit for other failures: %s", (_what, text) => {
  expect(limits(text)).toEqual([]);
});

test("reports no limit if another failure exists too", () => {
  expect(limits("getaddrinfo ENOTFOUND x", "expected 1 to be 2")).toEqual([]);
});

test("finds dependencies in which tests tried to write", () => {
  const output = "EROFS: read-only file system, open '/r/node_modules/kit/out'\n/r/node_modules/other/a is fine\n";
  expect(writtenEntries(output, ["node_modules/kit", "node_modules/other"])).toEqual(["node_modules/kit"]);
  expect(writtenEntries("EROFS: open 'node_modules/kit/x'", ["node_modules/kit", "node_modules/k"])).toEqual([
    "node_modules/kit",
  ]);
  expect(writtenEntries("all fine in /r/node_modules/kit/x", ["node_modules/kit"])).toEqual([]);
});
