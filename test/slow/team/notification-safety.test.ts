import { beforeAll, describe, expect, test } from "vitest";
import { checkHook, type HookRules, isPublicAddress } from "../../../team/src/notifications/hook-address.ts";
import type { NotificationMessage } from "../../../team/src/notifications/notification-message.ts";
import { postHook } from "../../../team/src/notifications/post-hook.ts";
import { isMailAddress } from "../../../team/src/notifications/send-mail.ts";
import { hookHeaders } from "../../../team/src/notifications/sign-hook.ts";
import { resolverFor } from "./support/name-server.ts";
import { createReceiver, type Receiver } from "./support/receiver.ts";
import { slackBody, teamsBody } from "../../../team/src/notifications/send-notifications.ts";

const NEVER = new AbortController().signal;
const PUBLIC_NAME = "public.example";

describe("destinations of notifications", () => {
  let rules: HookRules;
  let receiver: Receiver;
  let port: string;
  beforeAll(async () => {
    receiver = await createReceiver();
    ({ port } = new URL(receiver.url));
    const resolver = await resolverFor({
      [PUBLIC_NAME]: ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
      "loopback.example": ["127.0.0.1"],
      "mixed.example": ["93.184.215.14", "10.0.0.1"],
      "mapped.example": ["::ffff:7f00:1"],
      "local.example": ["fe80::1"],
      "metadata.example": ["169.254.169.254"],
      "empty.example": [],
    });
    rules = { allowed: ["127.0.0.1", `loopback.example:${port}`], resolver };
  });
  const post = (address: string, hosts: readonly string[] = []) =>
    postHook({ address, headers: {}, body: "{}" }, { ...rules, allowed: hosts }, NEVER);

  test.for([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://0/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.1.2.3/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://100.64.0.1/",
    "https://255.255.255.255/",
    "https://loopback.example/",
    "https://mixed.example/",
    "https://mapped.example/",
    "https://local.example/",
    "https://metadata.example/",
    `http://${PUBLIC_NAME}/`,
    "http://93.184.215.14/",
    `https://me:secret@${PUBLIC_NAME}/`,
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "javascript:alert(1)",
    "no address",
  ])("rejects %s permanently without a connection", async (address) => {
    expect(await post(address)).toMatchObject({ ok: false, isFinal: true });
    expect(receiver.received).toEqual([]);
  });

  test("connects to exactly the addresses that were checked", async () => {
    const { addresses } = await checkHook(`https://${PUBLIC_NAME}/`, rules);
    expect(addresses).toEqual(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]);
    expect(addresses?.every(isPublicAddress)).toBe(true);
  });

  test.for(["silent.example", "empty.example"])("retries %s, which has no address now", async (name) => {
    expect(await post(`https://${name}/`)).toMatchObject({ ok: false, isFinal: false });
  });

  test("sends only to hosts allowed by the operator, with or without port", async () => {
    const { url } = receiver;
    expect(await post(`${url}/allowed`, ["127.0.0.1"])).toEqual({ ok: true });
    expect(await post(`${url}/allowed`, [`127.0.0.1:${port}`])).toEqual({ ok: true });
    expect(await post(`${url}/allowed`, ["127.0.0.1:1", "localhost"])).toMatchObject({ isFinal: true });
    expect(receiver.at("/allowed")).toHaveLength(2);
  });

  test("follows no redirect", async () => {
    receiver.answer("/moved", (response) =>
      response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    );
    receiver.answer("/moved-here", (response) => response.writeHead(308, { location: "/target" }).end());
    for (const path of ["/moved", "/moved-here"])
      expect(await post(receiver.url + path, ["127.0.0.1"])).toMatchObject({ ok: false, isFinal: true });
    expect(receiver.at("/target")).toEqual([]);
  });

  test.for<[number, boolean]>([
    [400, true],
    [404, true],
    [410, true],
    [408, false],
    [429, false],
    [500, false],
    [503, false],
  ])("treats the status %i as final: %s", async ([status, isFinal]) => {
    receiver.answer("/status", (response) => response.writeHead(status).end());
    const why = `it answered ${status}`;
    expect(await post(`${receiver.url}/status`, ["127.0.0.1"])).toEqual({ ok: false, isFinal, why });
  });

  test("stops at endless bodies, oversized headers and missing answers", async () => {
    receiver.answer("/endless", (response) => {
      response.writeHead(200);
      const more = (): void => void (response.destroyed || response.write("x".repeat(65_536), more));
      more();
    });
    expect(await post(`${receiver.url}/endless`, ["127.0.0.1"])).toEqual({ ok: true });
    receiver.answer("/headers", (response) => response.writeHead(200, { "x-long": "x".repeat(100_000) }).end());
    expect(await post(`${receiver.url}/headers`, ["127.0.0.1"])).toMatchObject({ ok: false, isFinal: false });
    receiver.answer("/silent", () => undefined);
    const silent = await post(`${receiver.url}/silent`, ["127.0.0.1"]);
    expect(silent).toEqual({ ok: false, isFinal: false, why: "it did not answer in time" });
  });
});

describe("notification bodies", () => {
  const hostile = "shop: “<!channel> *x* <http://evil.example|click> & [a](http://evil.example)” waits";
  const message: NotificationMessage = {
    id: "0b1c",
    occasion: "gate",
    text: hostile,
    link: "https://isdlc.example.org/runs/1/gate",
    repository: "shop",
    run: "1",
    title: null,
    wait: null,
  };

  test("contain no markup and one link to the web UI in Slack", () => {
    const body = JSON.parse(JSON.stringify(slackBody(message)));
    expect(body.text).not.toMatch(/[<>]/);
    expect(body.blocks[0].text).toEqual({ type: "plain_text", text: hostile, emoji: false });
    const marked = body.blocks.filter(({ text }: { text: { type: string } }) => text.type === "mrkdwn");
    expect(marked.map(({ text }: { text: { text: string } }) => text.text)).toEqual([
      `<${message.link}|Open the page>`,
    ]);
  });

  test("contain no markup in Microsoft Teams", () => {
    const [attachment] = JSON.parse(JSON.stringify(teamsBody(message))).attachments;
    expect(attachment.content.body[0].text).toContain(String.raw`\[a\]\(http://evil.example\)`);
    expect(attachment.content.body[0].text).toContain(message.link);
  });

  test("are signed according to the Standard Webhooks specification", () => {
    const signed = hookHeaders("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      body: '{"test": 2432232314}',
      at: new Date(1_614_265_330_000),
    });
    expect(signed).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test.for<[string, boolean]>([
    ["ada@example.org", true],
    ["ada+isdlc@mail.example.org", true],
    ['"ada@evil.example x"@example.org', false],
    ["ada@example.org, eve@evil.example", false],
    ["ada@example.org\r\nBcc: eve@evil.example", false],
    ["Ada <ada@example.org>", false],
    ["ada", false],
    [`${"a".repeat(65)}@example.org`, false],
  ])("accepts %j as an email address: %s", ([address, isOne]) => {
    expect(isMailAddress(address)).toBe(isOne);
  });
});
