import { beforeAll, describe, expect, test, vi } from "vitest";
import { shownDigest } from "../../../src/app/answer/answer.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createMailbox, type Mail } from "./support/mailbox.ts";
import { createPageClient, type PageClient } from "./support/page-client.ts";
import { createReceiver, type Receiver } from "./support/receiver.ts";
import { signedIn } from "./support/team-page.ts";
import { createTeam, type StartedProgram, type Team } from "./support/team.ts";
import { beginRun, look, PATIENCE, untilEnded, untilWaits } from "./support/team-runs.ts";

/** Markup, a mention, a link, terminal codes in both forms, reversed and invisible text, and an email header. */
const HOSTILE = [
  `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`,
  "<!channel> <http://evil.example|click> *bold* [x](javascript:window.owned=1)",
  "\u001b[31mred\u001b]0;owned\u0007\u009b8m",
  "\u202egnp.exe\u202c\u2066x\u2069\u200b",
  "\r\nBcc: eve@evil.example\r\n\r\nnot the body",
].join(" ");
const TITLE = `${HOSTILE} ${"long ".repeat(100)}`.slice(0, 500);
/** Characters that control a terminal, reverse text or are invisible. */
// oxlint-disable-next-line no-control-regex -- it is what must not be there
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)])
      : [];
const actingIn = (value: unknown): readonly string[] => textsIn(value).filter((text) => ACTING.test(text));

describe.runIf(hasPostgres)("hostile text in a run of a team [S7]", () => {
  let team: Team;
  let worker: StartedProgram;
  let receiver: Receiver;
  let mails: readonly Mail[];
  let page: PageClient;
  let run: string;

  beforeAll(async () => {
    receiver = await createReceiver();
    const mailbox = await createMailbox();
    ({ mails } = mailbox);
    const serving = ["--notify-hosts", "127.0.0.1", "--mail-sender", "isdlc@example.org"];
    team = await createTeam({ serving, env: { ISDLC_SMTP_URL: mailbox.url } });
    const plan = { writes: { "{item}/plan.md": `# ${HOSTILE}\n` }, result: { summary: HOSTILE, decisions: [HOSTILE] } };
    team.ada.plan({
      always: { says: [HOSTILE] },
      turns: { plan: [plan, plan], implement: [{ writes: { "src/made.js": `// ${HOSTILE}\n` } }] },
    });
    const bobs = await team.token("person", "bob");
    const carls = await team.token("person", "carl");
    for (const name of ["bob", "carl"]) await team.administer("role", "sample", name, "reviewer");
    const hears = async (token: string, channel: string, address: string): Promise<void> => {
      const change = { channel, address, occasions: ["gate", "ended"] };
      expect((await team.ask(token, "/api/notifications", change)).status).toBe(200);
    };
    await hears(team.adas, "webhook", `${receiver.url}/ada`);
    await hears(bobs, "slack", `${receiver.url}/bob`);
    await hears(carls, "email", "carl@example.org");
    page = createPageClient(team.url);
    await page.signIn(team.adas);
    worker = await team.worker("w1");
    run = await beginRun(team, { title: TITLE });
    await untilWaits(team, run, 0);
    const { state } = await look(team, run);
    if (state.is !== "active" || state.wait === null) throw new Error("no gate is open");
    const redo = { wait: state.wait.id, shown: shownDigest(state), option: "redo", text: HOSTILE };
    const answered = await team.ask(team.adas, `/api/runs/${run}/answer`, redo);
    expect(answered.status, JSON.stringify(answered.body)).toBe(200);
    await untilWaits(team, run, state.seq);
  });

  test("adds no header or recipient to an email", async () => {
    await vi.waitFor(() => expect(mails.length).toBeGreaterThanOrEqual(1), PATIENCE);
    for (const { to, text } of mails) {
      expect(to).toEqual(["carl@example.org"]);
      const [head = ""] = text.split("\r\n\r\n", 1);
      const names = head
        .replaceAll(/\r\n[ \t]+/g, " ")
        .split("\r\n")
        .map((line) => (line.split(":", 1)[0] ?? "").toLowerCase());
      expect(names.toSorted()).toEqual([
        "auto-submitted",
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
        "subject",
        "to",
      ]);
    }
  });

  test("is sent to Slack and webhooks as plain text without mentions or links", async () => {
    const [slack] = await receiver.until("/bob", 1);
    expect(slack?.body.text).not.toMatch(/[<>]/);
    const marked = slack?.body.blocks.filter(({ text }: { text: { type: string } }) => text.type === "mrkdwn");
    expect(marked.map(({ text }: { text: { text: string } }) => text.text)).toEqual([
      `<${page.origin}/runs/${run}/gate|Open the page>`,
    ]);
    const [hook] = await receiver.until("/ada", 1);
    expect(hook?.body.text.length).toBeLessThanOrEqual(600);
    expect(hook?.body.title.length).toBeLessThanOrEqual(200);
    expect([...actingIn(slack?.body), ...actingIn(hook?.body)]).toEqual([]);
  });

  test("prints control characters as visible marks in every command", async () => {
    const verbs = [
      ["status"],
      ["gate"],
      ["gate", "--diff"],
      ["history"],
      ["logs"],
      ["status", "--json"],
      ["gate", "--json"],
    ];
    for (const verb of verbs) {
      const { code, stdout, stderr } = await team.as(team.adas, ...verb, "--run", run);
      expect(code, verb.join(" ")).toBe(0);
      expect(stdout + stderr, verb.join(" ")).not.toMatch(ACTING);
    }
    expect((await team.as(team.adas, "gate", "--run", run)).stdout).toContain("␛[31mred");
    expect((await team.as(team.adas, "items")).stdout).not.toMatch(ACTING);
  });

  test("returns control characters as visible marks in every view of the web UI", async () => {
    const paths = ["", "/gate", "/story", "/diff?against=base", "/activity"].map((path) => `/runs/${run}${path}`);
    for (const path of ["/runs", "/items?repository=sample", ...paths]) {
      const { status, body } = await page.get(path);
      expect(status, path).toBe(200);
      expect(actingIn(body), path).toEqual([]);
    }
    const { documents } = (await page.get(`/runs/${run}/gate`)).body;
    expect(documents[0].text).toContain("<U+202E>gnp.exe");
    const { status, body } = await page.get(`/runs/${run}/document?path=${encodeURIComponent(documents[0].path)}`);
    expect([status, body.text]).toEqual([200, documents[0].text]);
  });

  test("executes nothing in the browser: inbox, run, gate, charts and settings", async () => {
    const opened = await signedIn(team, team.adas);
    const { page: tab, troubles, context } = opened;
    await tab.getByText("␛[31mred").first().waitFor();
    await tab.goto(`${team.url}/runs/${run}`);
    for (const name of ["Activity", "Documents", "Story", "Timeline"]) {
      await tab.getByRole("tab", { name }).click();
      await tab.locator('[role="tabpanel"][data-state="active"]').waitFor();
    }
    await tab.goto(`${team.url}/runs/${run}/gate`);
    await tab.getByText("␛[31mred").first().waitFor();
    await untilEnded(team, run);
    for (const path of ["/charts", "/settings", "/"]) {
      await tab.goto(team.url + path);
      await tab.getByRole("heading").first().waitFor();
    }
    expect(await tab.evaluate("window.owned")).toBeUndefined();
    expect(troubles).toEqual([]);
    await context.close();
    const charts = (await page.get("/charts")).body;
    expect(charts.runs).toHaveLength(1);
    expect(actingIn(charts)).toEqual([]);
  });

  test("writes one JSON object per log line without control characters", () => {
    for (const said of [team.first.said(), worker.said()]) {
      expect(said).not.toMatch(ACTING);
      for (const line of said.split("\n").filter((one) => one.startsWith("{")))
        expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  test("is rejected without a server error if the database cannot store it", async () => {
    const start = { what: "run", workflow: "change", isSupervised: true };
    for (const title of ["a\0b", "half \ud800 of one"]) {
      const { status } = await team.ask(team.adas, "/api/runs", { repository: "sample", start: { ...start, title } });
      expect([200, 400]).toContain(status);
    }
    for (const path of ["/api/runs?repository=%00", "/api/runs?run=%00", "/api/repositories/%00/members"])
      expect((await team.ask(team.adas, path)).status, path).toBeLessThan(500);
    for (const path of ["/runs?search=%00", "/runs?before=%00", "/items?repository=%00", "/charts?repository=%00"])
      expect((await page.get(path)).status, path).toBeLessThan(500);
    expect(team.first.said()).not.toContain("a request failed");
  });
});
