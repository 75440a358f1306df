import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeUntestedVersion, SUPPORTED_VERSIONS } from "../../src/adapters/agents/supported-versions.ts";
import { createSandbox } from "../support/cli.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/sessions.md"), "utf8");

test.each([
  ["claude", "2.1.197 (Claude Code)", null],
  ["claude", "2.1.327 (Claude Code)", null],
  ["claude", "2.1.200", null],
  ["claude", "2.1.196", "older than 2.1.197"],
  ["claude", "2.1.1000", "newer than 2.1.327"],
  ["claude", "10.0.0", "newer than 2.1.327"],
  ["codex", "codex-cli 0.170.0", "newer than 0.169.0"],
  ["opencode", "1.9.99", "older than 1.18.33"],
  ["claude-acp", "9.9.9", null],
  ["codex", "unknown", null],
])("compares %s %s with the tested versions", (product, version, expected) => {
  const found = describeUntestedVersion(product, version);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toContain(expected);
});

test.each(Object.values(SUPPORTED_VERSIONS).flatMap(({ oldest, newest }) => [oldest, newest]))(
  "names the tested version %s in the guide",
  (version) => {
    expect(GUIDE).toContain(version);
  },
);

test("warns in doctor about a version that was not tested", async () => {
  const sandbox = await createSandbox();
  const folder = join(sandbox.base, "programs");
  mkdirSync(folder);
  const program = join(folder, "claude");
  writeFileSync(program, '#!/bin/sh\necho "2.1.999 (Claude Code)"\n');
  chmodSync(program, 0o755);
  const env = { PATH: `${folder}:${sandbox.env["PATH"] ?? ""}` };
  const { stdout } = await sandbox.start(["doctor"], env).ended;
  expect(stdout).toMatch(/warn claude: 2\.1\.999.* is newer than 2\.1\.327, the newest tested version/);
});
