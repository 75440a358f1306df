import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { projectFiles } from "../../src/adapters/checks/detectors/project-files.ts";
import { missingDependencies } from "../../src/adapters/checks/reports/missing-dependencies.ts";

let root = "";
afterEach(() => rmSync(root, { recursive: true, force: true }));

function project(files: Readonly<Record<string, string>>): ReturnType<typeof projectFiles> {
  root = mkdtempSync(join(tmpdir(), "isdlc-missing-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return projectFiles(root);
}

const manifest = JSON.stringify({ devDependencies: { vitest: "4", "@scope/kit": "1" } });
const installed = { "package.json": manifest, "node_modules/vitest/package.json": "{}" };

const rows = [
  {
    what: "a hint if all packages are missing",
    files: { "package.json": manifest },
    argv: ["npm", "test"],
    output: "sh: 1: vitest: not found",
    told: "node_modules is missing: run npm install",
  },
  {
    what: "a hint for a missing package reported by Node",
    files: installed,
    argv: ["pnpm", "test"],
    output: "Error: Cannot find package '@scope/kit/deep' imported from /x/a.js",
    told: "the package @scope/kit is declared and not installed: run pnpm install",
  },
  {
    what: "a hint for a missing program",
    files: installed,
    argv: ["npm", "test"],
    output: "> vitest\n\nsh: 1: vitest: not found\n",
    told: "vitest was not found: run npm install",
  },
  {
    what: "no hint for an undeclared package, which is a mistake in the code",
    files: installed,
    argv: ["npm", "test"],
    output: "Error: Cannot find module 'lodash'",
    told: null,
  },
  {
    what: "no hint for a missing file of the project",
    files: installed,
    argv: ["npm", "test"],
    output: "Error: Cannot find module './gone.js'",
    told: null,
  },
  { what: "no hint for a failed test", files: installed, argv: ["npm", "test"], output: "1 failing", told: null },
  {
    what: "a hint for missing pytest",
    files: { "pytest.ini": "" },
    argv: ["python3", "-m", "pytest"],
    output: "/usr/bin/python3: No module named pytest",
    told: "the Python module pytest is not installed",
  },
  {
    what: "a hint for a missing declared module",
    files: { "requirements.txt": "requests==2\n" },
    argv: ["python3", "-m", "pytest"],
    output: "E   ModuleNotFoundError: No module named 'requests'",
    told: "the Python module requests is not installed",
  },
  {
    what: "no hint for a module the agent did not write",
    files: { "requirements.txt": "requests==2\n" },
    argv: ["python3", "-m", "pytest"],
    output: "E   ModuleNotFoundError: No module named 'helper'",
    told: null,
  },
  {
    what: "a hint for a missing crate",
    files: {},
    argv: ["cargo", "test"],
    output: "error: no matching package named `serde` found",
    told: "a dependency was not downloaded: run cargo fetch",
  },
  {
    what: "a hint for a missing Go module",
    files: {},
    argv: ["go", "test", "./..."],
    output: "a.go:3:8: module lookup disabled by GOPROXY=off",
    told: "a dependency was not downloaded: run go mod download",
  },
];

test.each(rows)("returns $what", ({ files, argv, output, told }) => {
  expect(missingDependencies(project(files), { argv, output })).toBe(told);
});
