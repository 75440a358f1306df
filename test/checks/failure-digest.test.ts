import { describe, expect, test } from "vitest";
import { failureDigest } from "../../src/core/failure-digest.ts";
import { cpuFor } from "../support/cpu-time.ts";

const digest = (detail: string): string => failureDigest([{ name: "tests", ok: false, detail }]);

describe("failure digest", () => {
  test.for([
    ["milliseconds", "✗ adds 12ms", "✗ adds 7 ms"],
    ["seconds", "failed in 0.12s", "failed in 3.4 seconds"],
    ["minutes", "Ran all (1m 2s)", "Ran all (2m 59s)"],
    ["TAP durations", "duration_ms: 1.23", "duration_ms: 45"],
    ["time of day", "Start at 11:22:33", "Start at 09:01:02"],
    ["timestamps", "[2026-11-15T10:00:00.123Z] boom", "[2026-11-16T11:30:59Z] boom"],
    ["temporary folders", "no /tmp/x-aB3/src/a.js:3:4", "no /tmp/x-9zQ/src/a.js:3:4"],
    ["pytest's tmp_path", "no /tmp/pytest-of-me/pytest-3/test_a0/x.py", "no /tmp/pytest-of-me/pytest-14/test_a0/x.py"],
    ["a nested tmp_path", "no /tmp/me/pytest-of-me/pytest-3/test_a0/x", "no /tmp/me/pytest-of-me/pytest-4/test_a0/x"],
    ["GitHub's _temp", "no /home/runner/work/_temp/a1/b.js", "no /home/runner/work/_temp/c2/b.js"],
    ["pytest in _temp", "/home/r/work/_temp/pytest-of-r/pytest-0/t0/x", "/home/r/work/_temp/pytest-of-r/pytest-7/t0/x"],
    ["a nested TMPDIR", "no /tmp/a/b/run-Xy12Zq/src/a.js", "no /tmp/a/b/run-9kQ2aB/src/a.js"],
    ["two nested temporary folders", "no /tmp/a/run-Xy12Zq/b/in-Qq1234/a.js", "no /tmp/a/run-9kQ2aB/b/in-Zz9876/a.js"],
    ["a private TMPDIR", "no /home/me/.tmp/x1/a.js", "no /home/me/.tmp/x2/a.js"],
    ["mktemp", "no /tmp/a/tmp.x8Kq2LmN4p/a.js", "no /tmp/a/tmp.A8Kq2LmN4z/a.js"],
    ["Python's tempfile", "no /tmp/a/tmpab12_xyz/a.py", "no /tmp/a/tmpzz98_abc/a.py"],
    ["Go's TempDir", "no /tmp/a/TestAdds1234567890/001/a.go", "no /tmp/a/TestAdds9987654321/001/a.go"],
    ["macOS temporary folders", "no /var/folders/a1/b2/T/x-1/a", "no /private/var/folders/a1/b2/T/x-2/a"],
    ["Windows temporary folders", "C:\\Users\\a\\Temp\\x1\\a.js", "C:\\Users\\a\\Temp\\y2\\a.js"],
    ["addresses", "panic at 0xc000123abc", "panic at 0xc000fff000"],
    ["ports", "connect 127.0.0.1:43211", "connect 127.0.0.1:55002"],
    ["process numbers", "pid 1234 died", "pid 99 died"],
    ["seeds", "seed: 123456", "seed: 987"],
    ["identifiers", "run 123e4567-e89b-12d3-a456-426614174000", "run 00000000-e89b-12d3-a456-426614174fff"],
    ["colors", "\u001b[31mred\u001b[0m", "red"],
    ["order of lines", "a failed\nb failed", "b failed\n\na failed"],
    ["spaces", "a   b ", "a b"],
  ] as const)("is equal for two runs that differ in %s", ([, one, other]) => {
    expect(digest(one)).toBe(digest(other));
    expect(digest(one)).not.toBe(digest(`${one} extra`));
  });
});

describe("failure digest of different failures", () => {
  test.for([
    ["the message", "expected 1", "expected 2"],
    ["the position", "src/a.js:3:14", "src/a.js:3:15"],
    ["the line number of two digits", "a.js:12:34", "a.js:12:35"],
    ["the test name", "✗ adds", "✗ subtracts"],
    ["the file in a temporary folder", "/tmp/x/a.js", "/tmp/x/b.js"],
    ["the file in pytest's tmp_path", "/tmp/pytest-of-a/pytest-1/t0/a.py", "/tmp/pytest-of-a/pytest-1/t0/b.py"],
    ["the test in pytest's tmp_path", "/tmp/pytest-of-a/pytest-1/test_a0/x", "/tmp/pytest-of-a/pytest-1/test_b0/x"],
    ["a module deep in a temporary folder", "/tmp/x/src/my-module/a.js", "/tmp/x/src/my-button/a.js"],
    ["a folder with a similar name", "/src/template/a.js", "/src/template/b.js"],
    ["a count", "3 failed", "4 failed"],
    ["a version", "needs 1.2.3", "needs 1.2.4"],
  ] as const)("changes with %s", ([, one, other]) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  test("changes with the check", () => {
    const result = { ok: false, detail: "x" };
    expect(failureDigest([{ name: "tests", ...result }])).not.toBe(failureDigest([{ name: "artifacts", ...result }]));
  });
});

test("ignores checks that passed or were not run", () => {
  const failed = { name: "tests", ok: false, detail: "boom" };
  const passed = { name: "artifacts", ok: true, detail: "2 of 2 present" };
  const unmeasured = { name: "lint", ok: null, detail: "no command" };
  expect(failureDigest([passed, failed, unmeasured])).toBe(failureDigest([failed]));
  expect(failureDigest([passed])).toBe("");
});

test("reads long hostile lines in less than two seconds", () => {
  const used = cpuFor(() => {
    for (const piece of ["1", "1:", "/tmp/", "/a/tmp", "/a", "/tmp-Ab1234/", "0x", "a ", "0.", "-", "C:\\Temp\\"])
      digest(piece.repeat(50_000));
  });
  expect(used).toBeLessThan(2000);
});
