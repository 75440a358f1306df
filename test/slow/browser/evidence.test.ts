import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../../support/cli.ts";
import { expectAccessible, open, serve } from "./page-browser.ts";

const SUMS = `const test = require("node:test");
const assert = require("node:assert");
const { sum } = require("../src/sum.js");
test("is there", () => assert.equal(typeof sum, "function"));
test("adds", () => assert.equal(sum(1, 2), 3));
`;

test("offers choices for failing baseline tests and compares results at the gate", async () => {
  const sandbox = await createSandbox({
    files: {
      "package.json": '{"scripts":{"test":"node --test test/"}}',
      "src/sum.js": "exports.sum = (a, b) => a - b;\n",
      "test/sum.test.js": SUMS,
    },
  });
  sandbox.plan({ turns: { implement: [{ writes: { "src/sum.js": "exports.sum = (a, b) => a + b;\n" } }] } });
  const begun = await sandbox.script("Fix the sum", "--supervised", "--tests", "trust", ...sandbox.agent);
  expect(begun).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Fix the sum" }).click();
  const wait = page.locator(".wait");
  await expect.poll(() => wait.textContent()).toMatch(/the tests already fail on the current code/i);
  expect(await wait.getByRole("button").allTextContents()).toEqual(
    expect.arrayContaining(["Continue anyway", "Run the tests again", "Skip tests"]),
  );
  await expectAccessible(page);
  await wait.getByRole("button", { name: "Continue anyway" }).click();
  await page.getByRole("link", { name: "Open the review" }).click({ timeout: 60_000 });
  await page.locator("[data-decision]").getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Open the review" }).click({ timeout: 60_000 });
  await expect.poll(() => page.locator(".gate-phase").textContent()).toBe("Implementation");
  const verdicts = page.getByRole("list", { name: "Checks and review" });
  await expect.poll(() => verdicts.textContent()).toContain("2 passed, 0 failed; before the run 1 passed, 1 failed");
  const compared = page.locator(".panel", { hasText: "Tests, compared with before the run" });
  expect(await compared.textContent()).toMatch(/Fixed since the run started.*adds/);
  await expectAccessible(page);
  expect(troubles).toEqual([]);
});

test("goes from a failing test to its line and back, by link and by key", async () => {
  const placed = SUMS.replace("1, 2), 3)", '1, 2), 3, "a wrong sum at test/sum.test.js:5")');
  const sandbox = await createSandbox({
    files: {
      "package.json": '{"scripts":{"test":"node --test test/"}}',
      "src/sum.js": "exports.sum = (a, b) => a - b;\n",
      "test/sum.test.js": placed,
    },
  });
  const more = 'test("is a function of two numbers", () => assert.equal(sum.length, 2));\n';
  sandbox.plan({ turns: { implement: [{ writes: { "test/sum.test.js": `${placed}${more}` } }] } });
  const args = ["--supervised", "--tests", "trust", ...sandbox.agent];
  expect(await sandbox.script("Test the sum", ...args)).toMatchObject({ code: 3 });
  expect(await sandbox.person("answer", "accept")).toMatchObject({ code: 3 });
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  const { page, troubles } = await open((await serve(sandbox)).link);
  await page.locator("[data-row]").first().click();
  const failures = page.locator(".panel", { hasText: "What failed" });
  const place = failures.getByRole("button", { name: "test/sum.test.js:5" });
  const focused = (): Promise<string> =>
    page.evaluate("document.activeElement.closest('.diff [data-note], [data-entry] button')?.textContent ?? ''");
  await page.locator('[data-file="test/sum.test.js"]').waitFor();
  for (const back of ["b", "link"]) {
    await place.click();
    await expect.poll(focused).toMatch(/^Failed.*adds/);
    const index = Number(await page.locator(".diff-item:has([data-note])").getAttribute("data-index"));
    expect(await page.locator(`.diff-item[data-index="${index - 1}"]`).textContent()).toContain("sum(1, 2)");
    if (back === "b") await page.keyboard.press("b");
    else await page.locator(".diff [data-note]").getByRole("button", { name: "Back to the list" }).press("Enter");
    await expect.poll(focused).toBe("test/sum.test.js:5");
  }
  await page.keyboard.press("n"); // the failure in the list
  await page.keyboard.press("n");
  await expect.poll(focused).toMatch(/^Failed/);
  await expectAccessible(page);
  expect(troubles).toEqual([]);
});

test("lists uncommitted files of the agent on cancel and removes them on request", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "src/greeting.ts": "export const greeting = 'Hello';\n" } }] } });
  expect(await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Add a greeting" }).click();
  await page.locator(".back").click();
  await page.getByRole("button", { name: "More about this run" }).click();
  await page.getByRole("menuitem", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("src/greeting.ts").waitFor();
  expect(await dialog.getByRole("radio", { name: "Leave it in the working tree" }).isChecked()).toBe(true);
  await expectAccessible(page);
  await dialog.getByRole("radio", { name: "Remove from the working tree (saved under a git ref)" }).check();
  await dialog.getByLabel("Why?").fill("Another way was found");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.locator(".toast").textContent()).toContain("It is kept: git show refs/isdlc/");
  expect(existsSync(join(sandbox.root, "src/greeting.ts"))).toBe(false);
  expect(troubles).toEqual([]);
});
