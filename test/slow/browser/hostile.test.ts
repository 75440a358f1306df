import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../support/cli.ts";
import { open, serve } from "./page-browser.ts";

const EVIL = `<img src=x onerror="window.owned=1"><script>window.owned=1</script><svg onload="window.owned=1">`;
const DOCUMENT = `# ${EVIL}

[click](javascript:window.owned=1) [data](data:text/html,<script>window.owned=1</script>) ![image](https://evil.example/pixel.png)

<iframe src="https://evil.example"></iframe><style>@import "https://evil.example/x.css"</style>

\`\`\`mermaid
flowchart LR
  a["${EVIL.replaceAll('"', "'")}"] --> b
  click a href "javascript:window.owned=1"
  click b call alert(1)
\`\`\`

\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/leak) }"}}%%
flowchart LR
  x --> y
\`\`\`
`;

test("renders scripts in titles, documents, names, diffs and output as text [S7]", async () => {
  const sandbox = await createSandbox();
  const name = `src/${EVIL.replaceAll("/", "_")}.ts`;
  sandbox.plan({
    always: { says: [EVIL, "\u001b]0;owned\u0007\u001b[31mred"] },
    turns: {
      plan: [{ writes: { "{item}/plan.md": DOCUMENT }, result: { summary: EVIL, decisions: [EVIL] } }],
      implement: [{ writes: { [name]: `${EVIL}\n` }, result: { summary: EVIL } }],
      "implement reviewer": [
        {
          verdict: {
            approved: true,
            summary: EVIL,
            issues: [{ severity: "note", description: EVIL, location: `${name}:1` }],
          },
        },
      ],
    },
  });
  expect(await sandbox.script(`Add ${EVIL}`, "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.locator("[data-row]").first().click();
  await page.locator(".diagram img").first().waitFor();
  const links = await page.locator(".document a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(links.filter((href) => !/^https?:/.test(href ?? ""))).toEqual([]);
  expect(
    await page.locator(".document iframe, .document script, .document img:not(.diagram img), .document style").count(),
  ).toBe(0);
  await page.getByText("Source").first().click();

  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  await page.getByRole("link", { name: "Open the review" }).click();
  await page.locator(".diff .diff-line").first().waitFor();
  await page.locator(".back").click();
  for (const tab of ["Activity", "Documents", "Story", "Timeline"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator('[role="tabpanel"][data-state="active"]').waitFor();
  }
  await page.goto(new URL("/charts", link).href);
  await page.goto(new URL("/", link).href);
  await page.locator("[data-row]").first().waitFor();
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(troubles).toEqual([]);
});

/** Attempts of a page of another site in the user's browser. Returns how many got an answer. */
const ATTEMPTS = `(async () => {
  const target = new URLSearchParams(location.search).get("target");
  const answer = JSON.stringify({ wait: "x", shown: "x", option: "cancel", text: "gone" });
  const asks = [
    fetch(target + "/api/runs"),
    fetch(target + "/api/runs", { credentials: "include" }),
    fetch(target + "/api/live"),
    fetch(target + "/api/start", { method: "POST", headers: { "Content-Type": "application/json" }, body: answer }),
    fetch(target + "/api/session", { method: "POST", headers: { "Content-Type": "text/plain" }, body: answer }),
    new Promise((resolve, reject) => {
      const source = new EventSource(target + "/api/live");
      source.onmessage = resolve;
      source.onerror = () => { source.close(); reject(new Error("refused")); };
    }),
    new Promise((resolve, reject) => {
      const socket = new WebSocket(target.replace("http", "ws") + "/api/live");
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error("refused"));
    }),
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = target + "/api/runs";
      script.onload = resolve;
      script.onerror = () => reject(new Error("refused"));
      document.body.append(script);
    }),
  ];
  const ended = await Promise.allSettled(asks);
  return ended.filter(({ status }) => status === "fulfilled").length + " of " + ended.length;
})()`;

test("prevents pages of other sites from reading, changing and framing [S6]", async () => {
  const sandbox = await createSandbox();
  expect(await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link, origin } = await serve(sandbox);
  const { page, context } = await open(link);
  const evil = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(`<!doctype html><title>evil</title><body><iframe src="${origin}/"></iframe></body>`);
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void evil.close());
  const address = evil.address();
  const port = typeof address === "object" ? address?.port : 0;
  const other = await context.newPage();
  await other.goto(`http://127.0.0.1:${port}/?target=${encodeURIComponent(origin)}`);
  expect(await other.evaluate(ATTEMPTS)).toBe("0 of 8");
  const framed = other.frames().find((frame) => frame !== other.mainFrame());
  expect(await framed?.locator("#root").count()).toBe(0);
  expect((await sandbox.events()).some(({ type }) => type === "run.cancelled")).toBe(false);
  await page.reload();
  await page.locator("[data-row]").first().waitFor();
});
