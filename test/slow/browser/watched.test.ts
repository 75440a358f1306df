import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type ClaudeSetup, withClaude } from "../../agent-claude/with-claude.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { createSandbox } from "../../support/cli.ts";
import { changeRules, DEFECT, DUMMY_KEY } from "../agents/claude-scripts.ts";
import { open, serve } from "./page-browser.ts";

const TITLE = "the greeting lacks its comma";
const version = CLAUDE_VERSIONS.at(-1) ?? "";
const binary = await agentBinary(claudePackage(version));

const setups: ClaudeSetup[] = [];
afterEach(async () => {
  for (const setup of setups.splice(0)) await setup.close();
});

test.skipIf(!binary.ok)("shows a run of Claude Code live, up to its gate", async () => {
  const sandbox = await createSandbox({ files: DEFECT });
  let folder = "";
  const rules = changeRules(
    sandbox.root,
    () => (folder ||= join(".isdlc/work", readdirSync(join(sandbox.root, ".isdlc/work"))[0] ?? "")),
  );
  const setup = await withClaude(version, rules);
  setups.push(setup);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByText("Nothing").first().waitFor();
  const isOver = { now: false };
  const running = sandbox.start([TITLE, "--yes"], { ...setup.env, ANTHROPIC_API_KEY: DUMMY_KEY });
  const ended = running.ended.finally(() => (isOver.now = true));
  await page.getByRole("link", { name: TITLE }).click({ timeout: 60_000 });
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.locator(".said-line").first().waitFor({ timeout: 60_000 });
  expect(isOver.now).toBe(false); // seen while the agent is still running
  await expect.poll(() => page.locator(".run-head").textContent()).toContain("Running");
  await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 120_000 });
  expect(await ended).toMatchObject({ code: 3 });
  expect(await page.locator(".run-head").textContent()).toContain("tokens");
  expect(await page.locator(".activity").textContent()).not.toContain(DUMMY_KEY);
  expect(troubles).toEqual([]);
});
