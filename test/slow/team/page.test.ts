import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, openAt } from "../browser/page-browser.ts";
import { parsed } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { askPage, readCookies, signedIn, signIn } from "./support/team-page.ts";
import { untilWaits } from "./support/team-runs.ts";

const TITLE = "add a greeting";
const PLAN = "# Plan\n\nThe greeting is said in one line.\n";

describe.runIf(hasPostgres)("web UI of a team's server", () => {
  let team: Team;
  let run: string;
  let bobs: string;

  /** Ada has started a run in one of two repositories. It waits at its first gate. */
  beforeAll(async () => {
    team = await createTeam();
    const plan = { writes: { "{item}/plan.md": PLAN }, result: { summary: "One line" } };
    team.ada.plan({ turns: { plan: [plan, { ...plan, writes: { "{item}/plan.md": `${PLAN}\nIn two files.\n` } }] } });
    await team.worker("w1");
    bobs = await team.token("person", "bob");
    await team.administer("role", "sample", "bob", "reviewer");
    const asked = await team.as(team.adas, "request", TITLE, "--supervised", "--tests", "without", "--json");
    run = parsed(asked).run as string;
    await rests(0);
  });

  const rests = (seq: number): Promise<void> => untilWaits(team, run, seq);

  const ask = (path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    askPage(team, path, { headers, body });

  test("returns nothing without sign-in, and signs in no worker, script or unknown token [S6]", async () => {
    const origin = new URL(team.url).origin;
    for (const path of ["/project", "/runs", `/runs/${run}`, `/runs/${run}/gate`, `/runs/${run}/diff`, "/live"])
      expect((await ask(path, {})).status, path).toBe(401);
    expect((await ask("/runs", { authorization: `Bearer ${bobs}` })).status).toBe(401);
    const script = (await team.ask(bobs, "/api/tokens", { name: "nightly", days: 7 })).body.token as string;
    for (const token of [await team.token("worker", "w9"), script, "isdlc_person_0000000000000000000000"])
      expect((await ask("/session", { origin }, { token })).status).toBe(401);
  });

  test("rejects sign-in and answers from another site, host or content type [S6]", async () => {
    const opened = await signedIn(team, bobs);
    const cookie = await readCookies(opened);
    const { origin } = new URL(team.url);
    const answer = { wait: null, shown: "", option: "cancel", text: "no" };
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await ask(`/runs/${run}/answer`, { cookie, ...headers }, answer)).status;
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({})).toBe(403);
    expect(await status({ origin, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status({ origin, "content-type": "text/plain" })).toBe(415);
    expect((await ask("/session", { origin: "https://evil.example" }, { token: bobs })).status).toBe(403);
    expect(await team.row(run)).toMatchObject({ rests: "wait" });
    expect((await fetch(team.url)).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    await opened.context.close();
  });

  test("lets a user sign in, review the gate, send work back and accept it", async () => {
    const opened = await openAt(team.url);
    const { page, context, troubles } = opened;
    await expectAccessible(page);
    await signIn(page, "isdlc_person_0000000000000000000000");
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("not known here");
    await signIn(page, bobs);
    const row = page.getByRole("link", { name: TITLE });
    await expect.poll(() => row.textContent()).toContain("in sample");
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    expect(await page.evaluate("document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toMatch(
      /isdlc_(?:person|session)_/,
    );
    await expectAccessible(page);
    await row.click();
    await expect.poll(() => page.locator(".document").textContent()).toContain("The greeting is said in one line.");
    await page.locator(".diff [data-file]").first().waitFor();
    const { head_seq: before } = await team.row(run);
    const decision = page.locator("[data-decision]");
    await decision.getByRole("button", { name: /^Redo/ }).click();
    await page.getByRole("dialog").getByRole("textbox").first().fill("Say it in two files.");
    await page.getByRole("dialog").getByRole("button", { name: "Redo" }).click();
    await page.locator(".phases").waitFor();
    await rests(before as number);
    await page.getByRole("link", { name: "Open the review" }).click();
    await expect.poll(() => page.locator(".document").textContent()).toContain("In two files.");
    await decision.getByRole("button", { name: "Continue" }).click();
    await page.locator(".phases").waitFor();
    const { rows } = await team.database.pool.query<{ line: string }>(
      "select line from isdlc.decision where run = $1 and line like '%gate.answered%' order by seq",
      [run],
    );
    expect(rows.map(({ line }) => /"choice":"(\w+)"/.exec(line)?.[1])).toEqual(["redo", "continue"]);
    for (const { line } of rows) expect(line).toContain('"by":{"name":"bob","channel":"dashboard"}');
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("enforces roles, four eyes and revoked tokens, and hides runs from others", async () => {
    await rests(0);
    await team.administer("policy", "sample", "--four-eyes", "on");
    const adas = await signedIn(team, team.adas);
    await adas.page.getByRole("link", { name: TITLE }).click();
    await adas.page.locator("[data-decision]").getByRole("button", { name: "Continue" }).click();
    await adas.page.getByText("the author of a run cannot accept it").first().waitFor();
    const outsider = await signedIn(team, await team.token("person", "otto"));
    await outsider.page.getByText("Nothing is waiting for you").waitFor();
    const cookie = await readCookies(outsider);
    for (const path of ["", "/gate", "/diff", "/story", "/activity"])
      expect((await ask(`/runs/${run}${path}`, { cookie })).status, path).toBe(404);
    await team.administer("revoke", "ada");
    expect((await ask("/runs", { cookie: await readCookies(adas) })).status).toBe(401);
    await adas.page.reload();
    await adas.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await outsider.page.getByRole("button", { name: "Sign out" }).click();
    await outsider.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect((await ask("/runs", { cookie })).status).toBe(401);
    for (const { context } of [adas, outsider]) await context.close();
  });
});
