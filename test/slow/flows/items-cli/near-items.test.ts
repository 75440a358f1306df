import { expect, test } from "vitest";
import { prepareItem, readySandbox } from "../../../items-cli/prepared-item.ts";

const BUILT = { build_completed_at: "2026-01-02T00:00:00.000Z" };

test.concurrent("finds an item by the words of its title in any order", async () => {
  const sandbox = await readySandbox();
  const item = prepareItem(sandbox, { slug: "sign-in", phases: 0, more: { description: "Page for the user login" } });
  const { stderr } = await sandbox.script("build", "login for a user page", "--review", "quick-scan", ...sandbox.agent);
  expect(stderr).toContain("Building the existing item sign-in: Page for the user login");
  expect(await sandbox.status()).toMatchObject({ item });
});

test.concurrent.each([
  ["not built", {}, "sign-in: Reset"],
  ["built", BUILT, "sign-in (built): Reset"],
] as const)("asks before it creates a second item for similar work: %s", async (_state, more, row) => {
  const sandbox = await readySandbox();
  prepareItem(sandbox, { slug: "sign-in", phases: 0, more: { description: "Reset a lost password by mail", ...more } });
  const words = ["build", "Reset passwords by text message", ...sandbox.agent];
  const asked = await sandbox.script(...words);
  expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining(`  ${row}`) });
  expect(asked.stdout).toContain("To build one of them: isdlc build sign-in");
  expect(sandbox.log()).toEqual([]);
  expect((await sandbox.script(...words, "--yes", "--review", "00")).code).toBe(3);
  expect(await sandbox.status()).toMatchObject({
    item: "docs/requirements/REQ-0001-reset-passwords-by-text-message",
  });
});

test.concurrent("says that a named item was already built", async () => {
  const sandbox = await readySandbox();
  prepareItem(sandbox, { slug: "sign-in", phases: 0, more: BUILT });
  const { stderr } = await sandbox.script("build", "sign-in", "--review", "00", ...sandbox.agent);
  expect(stderr).toContain("sign-in was already built, on 2026-01-02. This builds it again.");
});

test.concurrent("creates an item for other work without a question", async () => {
  const sandbox = await readySandbox();
  prepareItem(sandbox, { slug: "sign-in", phases: 0 });
  const { stdout } = await sandbox.script("build", "Dark mode", "--review", "00", ...sandbox.agent);
  expect(stdout).not.toContain("may be the same work");
  expect(await sandbox.status()).toMatchObject({ item: "docs/requirements/REQ-0001-dark-mode" });
});
