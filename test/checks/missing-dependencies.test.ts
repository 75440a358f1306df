import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { projectFiles } from "../../src/adapters/checks/project-files.ts";
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
    what: "no packages at all",
    files: { "package.json": manifest },
    argv: ["npm", "test"],
    output: "sh: 1: vitest: not found",
    told: "node_modules is missing: run npm install",
  },
  {
    what: "one package, as node says it",
    files: installed,
    argv: ["pnpm", "test"],
    output: "Error: Cannot find package '@scope/kit/deep' imported from /x/a.js",
    told: "the package @scope/kit is declared and not installed: run pnpm install",
  },
  {
    what: "a program",
    files: installed,
    argv: ["npm", "test"],
    output: "> vitest\n\nsh: 1: vitest: not found\n",
    told: "vitest was not found: run npm install",
  },
  {
    what: "a package that nobody declared, which is a mistake in the code",
    files: installed,
    argv: ["npm", "test"],
    output: "Error: Cannot find module 'lodash'",
    told: null,
  },
  {
    what: "a file of the project, which is one too",
    files: installed,
    argv: ["npm", "test"],
    output: "Error: Cannot find module './gone.js'",
    told: null,
  },
  { what: "an honest failure", files: installed, argv: ["npm", "test"], output: "1 failing", told: null },
  {
    what: "pytest itself",
    files: { "pytest.ini": "" },
    argv: ["python3", "-m", "pytest"],
    output: "/usr/bin/python3: No module named pytest",
    told: "the Python module pytest is not installed",
  },
  {
    what: "a declared module",
    files: { "requirements.txt": "requests==2\n" },
    argv: ["python3", "-m", "pytest"],
    output: "E   ModuleNotFoundError: No module named 'requests'",
    told: "the Python module requests is not installed",
  },
  {
    what: "a module that the agent forgot to write",
    files: { "requirements.txt": "requests==2\n" },
    argv: ["python3", "-m", "pytest"],
    output: "E   ModuleNotFoundError: No module named 'helper'",
    told: null,
  },
  {
    what: "a crate",
    files: {},
    argv: ["cargo", "test"],
    output: "error: no matching package named `serde` found",
    told: "a dependency was not downloaded: run cargo fetch",
  },
  {
    what: "a module of Go",
    files: {},
    argv: ["go", "test", "./..."],
    output: "a.go:3:8: module lookup disabled by GOPROXY=off",
    told: "a dependency was not downloaded: run go mod download",
  },
];

test.each(rows)("what is not installed is told with what installs it: $what", ({ files, argv, output, told }) => {
  expect(missingDependencies(project(files), { argv, output })).toBe(told);
});
