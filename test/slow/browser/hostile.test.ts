import { expect, test } from "vitest";
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

test("S7: script in titles, documents, names, diffs, diagrams, findings and agent output is text", async () => {
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
