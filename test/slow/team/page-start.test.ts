import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../browser/page-browser.ts";
import type { Json } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { askPage, pageHeaders, signedIn } from "./support/team-page.ts";
import { createTeam, type Team } from "./support/team.ts";

const START = { what: "run", workflow: "change", title: "add a greeting", isSupervised: true };

describe.runIf(hasPostgres)("start of a run in a team's web UI", () => {
  let team: Team;
  let bobs: string;
  let vics: string;

  beforeAll(async () => {
    team = await createTeam();
    team.ada.write("package.json", '{"scripts":{"test":"node --test"}}');
    team.ada.git("add", ".");
    team.ada.git("commit", "--quiet", "-m", "tests");
    team.ada.git("push", "--quiet", "origin", "HEAD:main");
    bobs = await team.token("person", "bob");
    vics = await team.token("person", "vic");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("role", "sample", "vic", "viewer");
  });

  const start = async (headers: Record<string, string>, body: unknown): Promise<number> =>
    (await askPage(team, "/start", { headers, body })).status;

  test("accepts only valid requests of reviewers from the web UI itself [S6]", async () => {
    const body = { repository: "sample", start: START };
    const good = await pageHeaders(team, bobs);
    const otto = await pageHeaders(team, await team.token("person", "otto"));
    expect(await start({ origin: good.origin }, body)).toBe(401);
    expect(await start({ ...good, origin: "https://evil.example" }, body)).toBe(403);
    expect(await start({ cookie: good.cookie }, body)).toBe(403);
    expect(await start({ ...good, "sec-fetch-site": "cross-site" }, body)).toBe(403);
    expect(await start({ ...good, "content-type": "text/plain" }, body)).toBe(415);
    expect(await start(await pageHeaders(team, vics), body)).toBe(403);
    expect(await start(otto, body)).toBe(400);
    expect(await start(good, { ...body, repository: "other" })).toBe(400);
    expect(await start(good, { ...body, more: 1 })).toBe(400);
    expect(await start(good, { ...body, start: { ...START, title: "x".repeat(2001) } })).toBe(400);
    expect(await start(good, { ...body, start: { ...START, what: "analyze" } })).toBe(400);
    expect(await start(good, { ...body, start: { ...START, title: "x".repeat(5_000_000) } })).toBe(413);
    expect((await team.ask(team.adas, "/api/runs")).body.runs).toEqual([]);
  });

  test("asks a reviewer the same questions as a terminal and shows the result", async () => {
    const { page, context, troubles } = await signedIn(team, bobs);
    await page.getByRole("link", { name: "New run" }).click();
    await expectAccessible(page);
    expect(await page.getByLabel("Repository").inputValue()).toBe("sample");
    expect(await page.getByRole("radio", { name: /Add to the backlog only/ }).count()).toBe(0);
    await page.getByLabel("What should be done?").fill("Add a greeting");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("The next free worker starts it.").waitFor();
    await expectAccessible(page);
    const first = page.url();
    await team.worker("w1");
    const asked = page.getByRole("alert").filter({ hasText: "node --test" });
    await asked.waitFor();
    await expectAccessible(page);
    await asked.getByRole("button", { name: "Continue without it" }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole("link", { name: "Open the review" }).waitFor();
    expect(await page.locator(".run-head").textContent()).toContain("Add a greeting");
    const { runs } = (await team.ask(bobs, "/api/runs")).body;
    expect(runs).toMatchObject([
      { begunBy: "bob", rests: "wait", refused: null },
      { begunBy: "bob", rests: "ended", choices: [{ kind: "trust", flag: "--tests" }] },
    ]);
    await page.getByRole("link", { name: /^Inbox/ }).click();
    await expect.poll(() => page.getByRole("link", { name: /Not started/ }).textContent()).toContain("Add a greeting");
    await expectAccessible(page);
    const vic = await signedIn(team, vics);
    await vic.page.getByRole("link", { name: /Review.*Add a greeting/ }).waitFor();
    expect(await vic.page.getByRole("link", { name: "New run" }).count()).toBe(0);
    expect([...troubles, ...vic.troubles]).toEqual([]);
    for (const { context: one } of [vic, { context }]) await one.close();
  });

  test("shows a moved run with its new place and accepts no answer", async () => {
    const bob = await pageHeaders(team, bobs);
    const look = async (path: string) => (await askPage(team, path, { headers: bob })).json() as Promise<Json>;
    const { runs } = await look("/runs");
    const run = runs.find(({ status }: Json) => status === "waiting").id as string;
    const body = { place: "0".repeat(32), to: "bob's laptop" };
    expect(await team.ask(bobs, `/api/runs/${run}/let-go`, body)).toMatchObject({ status: 200 });
    expect(await look(`/runs/${run}`)).toMatchObject({
      row: { movedTo: "bob's laptop, by bob", wait: null },
      wait: null,
      actions: [],
    });
    const answer = { wait: null, shown: "", option: "cancel", text: "no" };
    expect((await askPage(team, `/runs/${run}/answer`, { headers: bob, body: answer })).status).toBe(409);
    const { page, context, troubles } = await signedIn(team, bobs);
    const row = page.getByRole("link", { name: /Moved away/ });
    await expect.poll(() => row.textContent()).toContain("went to bob's laptop, by bob");
    await row.click();
    await page.getByText("This run went to bob's laptop, by bob. It continues there.").waitFor();
    await expectAccessible(page);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("prints open choices at the terminal with exit code 3", async () => {
    const begun = await team.as(team.adas, "add a farewell", "--team", "--supervised");
    expect(begun).toMatchObject({ code: 3, stdout: expect.stringContaining("Run it again with --tests trust,") });
  });
});
