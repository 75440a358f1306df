import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { hasPostgres } from "./support/team-database.ts";
import { createMailbox, type Mail } from "./support/mailbox.ts";
import { createReceiver, type ReceivedRequest, type Receiver } from "./support/receiver.ts";
import { createTeam, type Team } from "./support/team.ts";
import { answerOpen, beginRun, PATIENCE, untilEnded, untilWaits } from "./support/team-runs.ts";

const TITLE = "add <b>a</b> greeting";
const FROM = "isdlc@example.org";

describe.runIf(hasPostgres)("notifications of a team with two servers", () => {
  let team: Team;
  let receiver: Receiver;
  let mails: readonly Mail[];
  let run: string;
  const tokens: Record<string, string> = {};
  const secrets: Record<string, string> = {};

  async function person(name: string, role: string): Promise<string> {
    tokens[name] = await team.token("person", name);
    await team.administer("role", "sample", name, role);
    return tokens[name];
  }

  async function hears(name: string, channel = "webhook", address = `${receiver.url}/${name}`): Promise<void> {
    const change = { channel, address, occasions: ["gate", "help", "ended", "reviewer"] };
    const { status, body } = await team.ask(tokens[name] ?? "", "/api/notifications", change);
    expect(status, JSON.stringify(body)).toBe(200);
    secrets[name] = body.secret as string;
  }

  beforeAll(async () => {
    receiver = await createReceiver();
    const mailbox = await createMailbox();
    ({ mails } = mailbox);
    const serving = ["--notify-hosts", "127.0.0.1", "--mail-sender", FROM, "--origin", "https://isdlc.example.org"];
    team = await createTeam({ serving, env: { ISDLC_SMTP_URL: mailbox.url } });
    tokens["ada"] = team.adas;
    await team.server();
    await Promise.all([
      team.worker("w1"),
      person("bob", "reviewer"),
      person("carl", "reviewer"),
      person("vic", "viewer"),
    ]);
    await hears("ada");
    await hears("vic");
    await hears("bob", "slack", `${receiver.url}/bob`);
    await hears("carl", "email", "carl@example.org");
    run = await beginRun(team, { title: TITLE });
    await untilWaits(team, run, 0);
  });

  const settled = () =>
    vi.waitFor(async () => {
      const { rows } = await team.database.pool.query(
        "select outcome, why from isdlc.notification where due_at is not null",
      );
      expect(rows).toEqual([]);
    }, PATIENCE);

  function verified({ headers, text }: ReceivedRequest, secret: string): void {
    const id = String(headers["webhook-id"]);
    const at = String(headers["webhook-timestamp"]);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${at}.${text}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(120);
  }

  test("notify each approver once about an open gate, in the format of their channel", async () => {
    const [hook] = await receiver.until("/ada", 1);
    const [slack] = await receiver.until("/bob", 1);
    await vi.waitFor(() => expect(mails).toHaveLength(1), PATIENCE);
    await settled();
    verified(hook as ReceivedRequest, secrets["ada"] ?? "");
    const link = `https://isdlc.example.org/runs/${run}/gate`;
    const { wait_id } = await team.row(run);
    expect(hook?.body).toMatchObject({ occasion: "gate", run, repository: "sample", title: TITLE, link });
    expect(hook?.body).toMatchObject({ id: hook?.headers["webhook-id"], wait: { id: wait_id, kind: "gate" } });
    expect(hook?.body.text).toContain(TITLE);
    expect(slack?.body.text).toContain("add &lt;b&gt;a&lt;/b&gt; greeting");
    expect(slack?.text).toContain(link);
    expect(mails[0]).toMatchObject({ to: ["carl@example.org"] });
    expect(mails[0]?.text).toMatch(/^Auto-Submitted: auto-generated/m);
    expect(mails[0]?.text.replaceAll("=\r\n", "")).toContain(link.slice(0, 40));
    expect([receiver.at("/ada"), receiver.at("/bob"), receiver.at("/vic")].map(({ length }) => length)).toEqual([
      1, 1, 0,
    ]);
  });

  test("skip users who may not accept the gate by policy", async () => {
    await team.administer("policy", "sample", "--four-eyes", "on");
    const { head_seq } = await team.row(run);
    const bobs = { ...team, adas: tokens["bob"] ?? "" };
    expect(await answerOpen(bobs, run)).toBe(200);
    await untilWaits(team, run, head_seq as number);
    await receiver.until("/bob", 2);
    await settled();
    expect(receiver.at("/ada")).toHaveLength(1);
    await team.administer("policy", "sample", "--four-eyes", "off");
  });

  test("notify the author about the end of a run", async () => {
    await untilEnded({ ...team, adas: tokens["bob"] ?? "" }, run);
    const told = await vi.waitFor(() => {
      const found = receiver.at("/ada").filter(({ body }) => body.occasion === "ended");
      expect(found).toHaveLength(1);
      return found;
    }, PATIENCE);
    await settled();
    expect(told[0]?.body.text).toContain("is finished");
    expect(told[0]?.body.link).toBe(`https://isdlc.example.org/runs/${run}`);
    expect(receiver.at("/bob").filter(({ text }) => text.includes("is finished"))).toEqual([]);
    const ids = receiver.at("/ada").map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("notify a new named reviewer once", async () => {
    const named = () => receiver.at("/ada").filter(({ body }) => body.occasion === "reviewer");
    await team.administer("reviewers", "sample", "01-plan", "ada");
    await vi.waitFor(() => expect(named()).toHaveLength(1), PATIENCE);
    await team.administer("reviewers", "sample", "01-plan", "ada", "bob");
    await settled();
    expect(named()).toHaveLength(1);
    expect(named()[0]?.body.text).toContain("01-plan");
    await team.administer("reviewers", "sample", "01-plan");
  });

  test("reveal no secret or address in responses and logs", async () => {
    const { body } = await team.ask(team.adas, "/api/notifications");
    expect(body.channels).toMatchObject([{ channel: "webhook", address: `${receiver.url}/…`, givenUp: null }]);
    expect(JSON.stringify(body)).not.toContain(secrets["ada"]);
    expect(team.first.said()).not.toContain("whsec_");
    expect(team.first.said()).not.toContain(receiver.url);
  });

  test("reject changes by personal tokens and workers, and internal addresses", async () => {
    const script = (await team.ask(team.adas, "/api/tokens", { name: "nightly", days: 7 })).body.token as string;
    const change = { channel: "webhook", address: `${receiver.url}/eve`, occasions: ["gate"] };
    expect((await team.ask(script, "/api/notifications", change)).status).toBe(403);
    expect((await team.ask(await team.token("worker", "w9"), "/api/notifications", change)).status).toBe(403);
    for (const address of [
      "https://localhost.:1@169.254.169.254/",
      "https://[::ffff:10.0.0.1]/",
      "http://example.org/",
    ])
      expect((await team.ask(team.adas, "/api/notifications", { ...change, address })).status).toBe(400);
    const mail = { ...change, channel: "email", address: "ada@example.org\r\nBcc: eve@example.org" };
    expect((await team.ask(team.adas, "/api/notifications", mail)).status).toBe(400);
  });

  test("are set, shown, tested and removed with isdlc team notify", async () => {
    const carl = (...words: string[]) => team.as(tokens["carl"] ?? "", "team", "notify", ...words);
    const set = await carl("webhook", `${receiver.url}/gone`, "--on", "gate,help");
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/whsec_\S+\n.*shown this once/) });
    receiver.answer("/gone", (response) => response.writeHead(410).end());
    expect(await carl("webhook", "test")).toMatchObject({ code: 0 });
    await receiver.until("/gone", 1);
    await settled();
    const shown = (await carl()).stdout;
    expect(shown).toContain("webhook: http://127.0.0.1:");
    expect(shown).toContain("on gate, help; nothing sent yet; given up");
    expect(shown).toContain("it answered 410");
    expect(shown).toMatch(/email: carl@example\.org .*last sent/);
    const { findings } = await team.administer("doctor");
    expect(JSON.stringify(findings)).toContain("carl by webhook");
    expect(await carl("webhook", "off")).toMatchObject({ code: 0 });
    expect((await carl()).stdout).not.toContain("webhook");
    expect(await carl("pigeon", "x")).toMatchObject({ code: 2 });
    expect(await carl("webhook", receiver.url, "--on", "lunch")).toMatchObject({ code: 2 });
  });

  test("give up a mail that its server rejects permanently", async () => {
    await hears("vic", "email", "nobody@example.org");
    expect((await team.ask(tokens["vic"] ?? "", "/api/notifications/email/test", {})).body).toEqual({ isAsked: true });
    await settled();
    const { channels } = (await team.ask(tokens["vic"] ?? "", "/api/notifications")).body;
    expect(channels[0].givenUp.why).toContain("550");
  });

  test("stop for a revoked account", async () => {
    await team.administer("revoke", "vic");
    const { rows } = await team.database.pool.query("select * from isdlc.notification_channel where person = 'vic'");
    expect(rows).toEqual([]);
  });
});
