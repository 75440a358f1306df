import { expect, test } from "vitest";
import { open, serve } from "./page-browser.ts";
import { createShop, TITLE } from "./shop.ts";

/** Records notifications and badges, and makes the page hidden. */
const UNSEEN = `
  window.told = { notifications: [], badges: [] };
  window.Notification = class extends EventTarget {
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor(title, { body }) { super(); window.told.notifications.push(title + ": " + body); }
  };
  navigator.setAppBadge = async (count) => void window.told.badges.push(count);
  Object.defineProperty(document, "hidden", { get: () => true });
`;

test("notifies by title, badge and notification only if the user wants it", async () => {
  const shop = await createShop();
  const { link } = await serve(shop);
  const { page, context, troubles } = await open(link);
  await context.addInitScript(UNSEEN);
  await page.goto(new URL("/settings", link).href);
  const told = () => page.evaluate<{ notifications: string[]; badges: number[] }>("window.told");
  expect(await page.title()).toBe("Settings · iSDLC");
  await page.getByLabel("Notify me when a run waits").check();
  expect(await shop.script(TITLE, "--supervised", ...shop.agent)).toMatchObject({ code: 3 });
  await expect.poll(() => page.title()).toBe("(1) Settings · iSDLC");
  expect(await told()).toEqual({ notifications: ["iSDLC: 1 run is waiting for you."], badges: [0, 1] });
  expect(await shop.person("cancel", "--reason", "over")).toMatchObject({ code: 0 });
  await expect.poll(() => page.title()).toBe("Settings · iSDLC");
  expect((await told()).badges).toEqual([0, 1, 0]);
  await page.getByLabel("Notify me when a run waits").uncheck();
  expect(await shop.script(TITLE, "--supervised", "--allow-dirty", ...shop.agent)).toMatchObject({ code: 3 });
  await expect.poll(() => page.title()).toBe("(1) Settings · iSDLC");
  expect((await told()).notifications).toHaveLength(1);
  expect(troubles).toEqual([]);
});
