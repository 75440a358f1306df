import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

const TESTED = { "package.json": `{ "scripts": { "test": "node --test" } }\n` };

test.concurrent("prints phases, agents, prompts and open choices for --dry-run, and starts nothing", async () => {
  const sandbox = await createSandbox({ files: TESTED });
  sandbox.write("README.md", "changed\n");
  const shown = await sandbox.script("add a greeting", "--dry-run", ...sandbox.agent);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("Nothing was started. This is what would happen:\nchange: add a greeting\n");
  expect(shown.stdout).toContain(
    "  on change/add-a-greeting, from main; agents without a sandbox\n  tests: npm test\n",
  );
  expect(shown.stdout).toMatch(
    / {2}implement +command · prompt [0-9]{4} characters · reviewed by command, up to 3 times\n/,
  );
  expect(shown.stdout).toMatch(/final-review .* · gate\nQuestions before the start:\n/);
  expect(shown.stdout).toContain("There are uncommitted changes.");
  expect(shown.stdout).toContain("Tests would be run with: npm test");
  expect(existsSync(join(sandbox.root, ".isdlc"))).toBe(false);
  expect(sandbox.log()).toEqual([]);
  expect(sandbox.git("branch", "--list")).toBe("* main");
});

test.concurrent("returns a dry run as JSON with the size of the prompts", async () => {
  const sandbox = await createSandbox();
  const { dryRun } = parsed(await sandbox.script("add a greeting", "--dry-run", "--json", ...sandbox.agent));
  expect(dryRun.asked).toEqual([]);
  await sandbox.script("add a greeting", ...sandbox.agent);
  const [first] = sandbox.log();
  const said = dryRun.phases[0].promptCharacters;
  expect(said).toBeGreaterThan(first?.prompt.length ?? 0);
  const events = await sandbox.events();
  const sent = events.find((event) => event.type === "execution.started");
  expect(Math.abs(said - (sent?.prompt ?? 0))).toBeLessThan(200); // The folder's name is chosen later.
});

test.concurrent("reports a detached HEAD before the run starts", async () => {
  const sandbox = await createSandbox();
  sandbox.git("checkout", "--quiet", "--detach");
  const { stdout } = await sandbox.script("add a greeting", "--dry-run", ...sandbox.agent);
  expect(stdout).toContain("No branch is checked out (detached HEAD)");
  const started = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(started.stderr).toContain("No branch is checked out (detached HEAD)");
});
