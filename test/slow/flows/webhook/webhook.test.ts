import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createWebhook } from "../../../../src/adapters/remote/create-webhook.ts";
import { noticeBody, waitNotice } from "../../../../src/views/wait-notice.ts";
import { createSandbox } from "../../../support/cli.ts";
import { activeRun, advance, completed, everyPhase, keeps, report, startRun } from "../../../support/run-builder.ts";

type WebhookRequest = { readonly body: string; readonly signature: string | undefined };

/** A receiver that answers with these statuses in order, then repeats the last one. */
async function receiver(...statuses: number[]): Promise<{ url: string; received: WebhookRequest[] }> {
  const received: WebhookRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      received.push({ body, signature: request.headers["x-isdlc-signature"]?.toString() });
      response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200, {
        Location: "http://127.0.0.1:1/",
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`, received };
}

function notice() {
  const player = startRun({ supervision: everyPhase, title: "<!channel> *say* <https://evil.example|hello>" });
  report(advance(player, "complete"), completed(keeps));
  const run = activeRun(player);
  if (run.wait === null) throw new Error("no wait");
  return waitNotice(run, run.wait, "shop");
}

const settings = (url: string, secret: string | null = null) => ({ url, secret, body: (told: object) => told });

test("signs the body with the secret", async () => {
  const { url, received } = await receiver(204);
  expect(await createWebhook(settings(url, "s3cret")).tell(notice())).toBeNull();
  const [{ body, signature } = { body: "", signature: "" }] = received;
  expect(signature).toBe(`sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`);
  expect(JSON.parse(body)).toMatchObject({ event: "wait.opened", wait: { kind: "gate", phase: "01-requirements" } });
});

test.for<[string, number[], number, RegExp | null]>([
  ["retries a busy receiver", [503, 503, 200], 3, null],
  ["gives up after three attempts", [503], 3, /answered 503/],
  ["does not retry a rejection", [403], 1, /answered 403/],
  ["does not follow a redirect", [302], 1, /answered 302/],
])("%s", async ([, statuses, tries, warning]) => {
  const { url, received } = await receiver(...statuses);
  const told = await createWebhook(settings(url)).tell(notice());
  expect(received).toHaveLength(tries);
  if (warning === null) expect(told).toBeNull();
  else expect(told).toMatch(warning);
});

test("escapes mentions and links in titles for Slack and Teams", () => {
  expect(JSON.stringify(noticeBody(notice(), "slack"))).not.toMatch(/<!channel>|<https/);
  const teams = JSON.stringify(noticeBody(notice(), "teams"));
  expect(teams).toContain("AdaptiveCard");
  expect(teams).toContain("\\\\*say\\\\*");
});

test("notifies the configured webhook at a gate, and continues if it is unreachable", async () => {
  const { url, received } = await receiver(200);
  const sandbox = await createSandbox();
  expect(await sandbox.person("config", "set", "webhook", url)).toMatchObject({ code: 0 });
  expect(await sandbox.person("config", "set", "webhook-secret", "s3cret")).toMatchObject({ code: 0 });
  expect(await sandbox.script("add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  expect(received.map(({ body }) => JSON.parse(body).wait.kind)).toEqual(["gate"]);
  expect(await sandbox.person("config", "set", "webhook", "http://127.0.0.1:1/")).toMatchObject({ code: 0 });
  const went = await sandbox.person("continue");
  expect(went).toMatchObject({ code: 3, stderr: expect.stringContaining("The webhook could not be reached") });
});

test.for([
  ["slack", { text: expect.stringContaining("waits for your review") }],
  ["teams", { type: "message", attachments: [{ content: { type: "AdaptiveCard" } }] }],
] as const)("sends %s notifications in their format", async ([form, body]) => {
  const { url, received } = await receiver(200);
  const sandbox = await createSandbox();
  for (const [key, value] of Object.entries({ webhook: url, "webhook-form": form, "webhook-secret": "s3cret" }))
    expect(await sandbox.person("config", "set", key, value)).toMatchObject({ code: 0 });
  expect(await sandbox.script("add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  expect(received).toHaveLength(1);
  expect(JSON.parse(received[0]?.body ?? "")).toMatchObject(body);
  const signed = createHmac("sha256", "s3cret")
    .update(received[0]?.body ?? "")
    .digest("hex");
  expect(received[0]?.signature).toBe(`sha256=${signed}`);
});
