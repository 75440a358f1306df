import { expect, test } from "vitest";
import { expectAccessible, open, serve } from "./page-browser.ts";
import { createShop, TITLE, USD_EACH } from "./shop.ts";

test("shows charts of time, redos, findings and cost", async () => {
  const shop = await createShop();
  expect(await shop.script(TITLE, "--supervised", ...shop.agent)).toMatchObject({ code: 3 });
  for (const answer of [["redo", "The empty cart"], ["continue"], ["continue"], ["continue"]])
    expect(await shop.person(...answer)).toMatchObject({ code: 3 });
  expect(await shop.person("answer", "keep")).toMatchObject({ code: 0 });
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.goto(new URL("/charts", link).href);
  const chart = (title: string) => page.locator(".chart", { has: page.getByRole("heading", { name: title }) });
  const bar = (title: string, name: string) => chart(title).locator(".bar", { hasText: name }).locator(".bar-number");
  for (const phase of ["Plan", "Implementation", "Final Review"]) {
    await expect.poll(() => bar("Time by phase", phase).textContent()).toMatch(/^\d+(\.\d)? (s|min)$/);
    expect(await bar("Time people took at gates", phase).textContent()).toMatch(/^\d+(\.\d)? (s|min)$/);
  }
  expect(await bar("Sent back", "Plan").textContent()).toBe("1 of 1");
  expect(await bar("Sent back", "Implementation").textContent()).toBe("0 of 1");
  const findings = chart("Findings by reviewer").locator("tbody tr").first();
  expect(await findings.locator("td.number").allTextContents()).toEqual(["0", "0", "1"]);
  expect(await bar("Cost by run", TITLE).textContent()).toBe(`$${(shop.log().length * USD_EACH).toFixed(2)}`);
  expect(await bar("Time by run", TITLE).textContent()).toMatch(/s$/);
  await expectAccessible(page);
  expect(troubles).toEqual([]);
});
