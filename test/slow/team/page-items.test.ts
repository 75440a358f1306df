import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../browser/page-browser.ts";
import { hasPostgres } from "./support/team-database.ts";
import { askPage, pageHeaders, signedIn } from "./support/team-page.ts";
import { untilRests } from "./support/team-runs.ts";
import { createTeam, type Team } from "./support/team.ts";

const ITEMS = "docs/requirements";

describe.runIf(hasPostgres)("items and charts in a team's web UI", () => {
  let team: Team;
  let bobs: string;
  let vics: string;

  /** Three items at the remote: one ready to build, one with a damaged record, and one whose record is a link. */
  beforeAll(async () => {
    team = await createTeam();
    const { ada } = team;
    const meta = {
      analysis_status: "partial",
      phases_completed: ["00-quick-scan"],
      created_at: "2026-01-01T00:00:00Z",
    };
    ada.write(`${ITEMS}/gift-cards/meta.json`, JSON.stringify(meta));
    ada.write(`${ITEMS}/damaged/meta.json`, "{");
    const link = join(ada.root, ITEMS, "linked/meta.json");
    mkdirSync(dirname(link));
    symlinkSync("../gift-cards/meta.json", link);
    ada.git("add", ".");
    ada.git("commit", "--quiet", "-m", "items");
    ada.git("push", "--quiet", "origin", "HEAD:main");
    bobs = await team.token("person", "bob");
    vics = await team.token("person", "vic");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("role", "sample", "vic", "viewer");
  });

  /** Answers every question before the start, to let the run start. */
  async function untilBegun(page: Page): Promise<void> {
    const question = page.getByRole("alert");
    const begun = page.locator(".phases");
    const shown = async (): Promise<string> => `${page.url()} ${(await question.allTextContents()).join(" ")}`;
    for (;;) {
      await question.or(begun).first().waitFor();
      if (await begun.isVisible()) return;
      const before = await shown();
      await question.getByRole("button").last().click();
      await expect.poll(shown).not.toBe(before);
    }
  }

  test("list items to members only and ignore linked or damaged records [S6]", async () => {
    const listed = await askPage(team, "/items?repository=sample", { headers: await pageHeaders(team, vics) });
    expect(await listed.json()).toMatchObject({
      items: [
        { slug: "damaged", status: "raw", createdAt: null },
        { slug: "gift-cards", status: "partial", createdAt: "2026-01-01T00:00:00Z", isBuilt: false },
        { slug: "linked", status: "raw", createdAt: null },
      ],
    });
    const otto = await pageHeaders(team, await team.token("person", "otto"));
    expect((await askPage(team, "/items?repository=sample", { headers: otto })).status).toBe(400);
    expect((await askPage(team, "/items", { headers: otto })).status).toBe(400);
    expect((await askPage(team, "/items?repository=sample", { headers: {} })).status).toBe(401);
    expect((await askPage(team, "/charts", { headers: {} })).status).toBe(401);
  });

  test("let a reviewer build an item, and show charts of ended runs", async () => {
    await team.worker("w1");
    const { page, context, troubles } = await signedIn(team, bobs);
    await page.getByRole("link", { name: "Items" }).click();
    await page.getByRole("row", { name: /gift-cards/ }).waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("link", { name: /^Analyze/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Build gift-cards" }).click();
    await page.getByRole("heading", { name: "Build gift-cards" }).waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".run-head").waitFor();
    await untilBegun(page);
    const run = page.url().split("/").at(-1) ?? "";
    await untilRests(team, run);
    const { rows } = await team.database.pool.query<{ line: string }>(
      "select line from isdlc.decision where run = $1 and seq = 1",
      [run],
    );
    expect(rows[0]?.line).toContain('"item":"docs/requirements/gift-cards"');
    expect(rows[0]?.line).toContain('"workflow":"feature"');
    const answer = { wait: null, shown: "", option: "cancel", text: "enough" };
    expect(await team.ask(team.adas, `/api/runs/${run}/answer`, answer)).toMatchObject({ status: 200 });
    await page.getByRole("link", { name: "Charts" }).click();
    await page.getByText("last 1 finished run").waitFor();
    await expectAccessible(page);
    const vic = await signedIn(team, vics);
    await vic.page.getByRole("link", { name: "Items" }).click();
    await vic.page.getByRole("row", { name: /gift-cards/ }).waitFor();
    expect(await vic.page.getByRole("link", { name: /^Build/ }).count()).toBe(0);
    const otto = await pageHeaders(team, await team.token("person", "otto"));
    for (const path of ["/charts", "/charts?repository=sample"])
      expect(await (await askPage(team, path, { headers: otto })).json()).toMatchObject({ runs: [] });
    expect([...troubles, ...vic.troubles]).toEqual([]);
    for (const one of [context, vic.context]) await one.close();
  });
});
