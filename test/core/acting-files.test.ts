import { expect, test } from "vitest";
import { actingFiles, actingReason } from "../../src/core/changes/acting-files.ts";
import { cpuFor } from "../support/cpu-time.ts";

test.each([
  [".github/workflows/ci.yml", "CI runs it"],
  [".gitlab-ci.yml", "CI runs it"],
  ["Jenkinsfile", "CI runs it"],
  [".vscode/tasks.json", "your editor runs or obeys it"],
  ["packages/a/.envrc", "your shell runs it"],
  [".npmrc", "the package manager obeys it"],
  [".gitattributes", "git runs or obeys it"],
  ["src/.gitattributes", "git runs or obeys it"],
  [".husky/pre-commit", "git runs or obeys it"],
  [".devcontainer/devcontainer.json", "a development container runs it"],
  [".claude/settings.json", "agents obey it"],
  [".mcp.json", "agents obey it"],
  ["AGENTS.md", "agents obey it"],
  ["ci/allowed_signers", "decides who may sign or merge"],
  ["tests/conftest.py", "decides how tests run"],
  ["vitest.config.ts", "decides how tests run"],
  [".isdlc/workflows.json", "isdlc obeys it"],
])("explains why %s takes effect on its own", (path, why) => {
  expect(actingReason(path)).toBe(why);
});

test.each([
  "src/app.ts",
  "README.md",
  "docs/agents.md",
  "src/vscode/tasks.json",
  "test/a.test.ts",
  "src/github/workflows/a.ts",
])("treats %s as an ordinary file", (path) => {
  expect(actingFiles([path])).toEqual([]);
});

test.each([
  ["a Cyrillic letter", ["src/p\u0430yment.ts"], "two alphabets"],
  ["a zero-width space", ["src/pay\u200bment.ts"], "invisible"],
  ["a decomposed letter", ["src/cafe\u0301.ts"], "NFC"],
  ["a path that differs only in case", ["src/User.ts", "src/user.ts"], "only in case"],
  ["a name written in one other alphabet", ["src/\u043f\u043b\u0430\u0442\u0435\u0436.md"], null],
])("checks paths for characters that look alike: %s", (_what, paths, why) => {
  const found = actingFiles(paths).map(({ why: reason }) => reason);
  if (why === null) expect(found).toEqual([]);
  else expect(found[0]).toContain(why);
});

test("examines long hostile paths in less than a second", () => {
  const used = cpuFor(() => {
    for (const piece of ["a", "a/", "\u0430", ".env", "vitest."]) actingFiles([piece.repeat(4000)]);
  });
  expect(used).toBeLessThan(1000);
});
