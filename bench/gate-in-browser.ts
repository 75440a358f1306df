import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Playwright from "playwright-core";
import type { Settings } from "./benches.ts";
import { toEnd } from "./ending.ts";
import { newRepository } from "./git-place.ts";
import { least, median } from "./measure.ts";
import { startPage } from "./page.ts";
import type { ReportLine } from "./report.ts";

const LINES = 50_000;
const SMALL_FILES = 40;
const DOCUMENT = `# Plan\n\n${Array.from({ length: 2000 }, (_, at) => `- item ${at} with *text*, \`code\` and a [^${at % 50}]`).join("\n")}\n`;
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Measures a gate with 50,000 changed lines in a real browser: until it can be decided, and until it reacts. */
export async function measureGateInBrowser(settings: Settings): Promise<readonly ReportLine[]> {
  const place = runAtGate(settings);
  const served = await startPage(settings.program(), place);
  const { chromium } = createRequire(join(settings.root, "package.json"))("playwright-core") as typeof Playwright; // outside of the bundle, because it reads files next to its own
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const end = toEnd(() => browser.close());
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, reducedMotion: "reduce" });
    await page.addInitScript(OPENING);
    await page.goto(served.link);
    await page.locator("[data-row]").first().waitFor();
    return [...(await opening(page, settings.quick ? 3 : 10)), ...(await reacting(page, settings.quick ? 5 : 20))];
  } finally {
    await end();
    await served.end();
  }
}

/** Starts a supervised run whose agent writes the large change already in its first phase. */
function runAtGate({ root, scratch, program }: Settings) {
  const place = newRepository(scratch, "gate-in-browser", 20);
  const code = Array.from({ length: LINES }, (_, at) => `export const value${at} = ${at};\n`).join("");
  const small = Array.from({ length: SMALL_FILES }, (_, at) => [`src/new-${at}.ts`, `export const part = ${at};\n`]);
  const written = { "src/large.ts": code, ...Object.fromEntries(small) };
  const plan = join(scratch, "gate-in-browser.json");
  const turns = {
    plan: [{ writes: { ...written, "docs/plan.md": DOCUMENT }, result: { artifacts: ["docs/plan.md"] } }],
  };
  writeFileSync(plan, JSON.stringify({ log: join(scratch, "gate-in-browser.jsonl"), turns }));
  const agent = `"${process.execPath}" "${join(root, "test/fixtures/agents/by-plan.mjs")}" "${plan}"`;
  const env = { ...place.env, ISDLC_SANDBOX: "off" };
  const args = [program(), "Add many values", "--supervised", "--agent-command", agent, "--tests", "without"];
  try {
    execFileSync(process.execPath, args, { cwd: place.tree, env, stdio: "ignore" });
  } catch {
    return place; // its exit code reports that the run waits
  }
  throw new Error("the run does not wait at its gate");
}

/** Records in the page when the decision is first there, when the first line is, and the longest task in between. */
const OPENING = `
  window.opening = { decision: null, line: null, longest: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.opening.longest = Math.max(window.opening.longest, duration);
  }).observe({ type: "longtask", buffered: true });
  new MutationObserver(() => {
    if (window.opening.decision === null && document.querySelector("[data-decision] .button") !== null)
      window.opening.decision = performance.now();
    if (window.opening.line === null && document.querySelector(".diff .diff-line, .diff [data-file]") !== null)
      window.opening.line = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

type Opening = { readonly decision: number; readonly line: number; readonly longest: number };

async function opening(page: Playwright.Page, times: number): Promise<ReportLine[]> {
  await page.locator("[data-row]").first().click();
  const found: Opening[] = [];
  for (let time = 0; time < times; time++) {
    await page.reload();
    await page.locator(".diff [data-file]").first().waitFor();
    await page.evaluate(SETTLED);
    found.push(await page.evaluate<Opening>("window.opening"));
  }
  return [
    line(
      "a gate with 50,000 changed lines: until the decision is there",
      found.map(({ decision }) => decision),
      1000,
    ),
    line(
      "  until its diff is there",
      found.map(({ line: at }) => at),
      1000,
    ),
    line(
      "  longest time without reaction while it loads",
      found.map(({ longest }) => longest),
      1000,
    ),
  ];
}

const SETTLED = "new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))";

/** Actions at 50,000 lines, as code that runs in the page. */
const ACTIONS: Readonly<Record<string, string>> = {
  "mark a file of 50,000 lines as viewed, and the reverse":
    "document.querySelector('[data-file=\"src/large.ts\"] input').click()",
  "close and open that file": "document.querySelector('[data-file=\"src/large.ts\"] .diff-file-name').click()",
  "switch between unified and side by side":
    'document.querySelector(\'[aria-label="Layout"] button[aria-pressed="false"]\').click()',
};

/** Measures from an action until the frame with its result was painted. */
async function reacting(page: Playwright.Page, times: number): Promise<ReportLine[]> {
  await page.locator('.outline-link[title="src/large.ts"]').click();
  await page.locator('[data-file="src/large.ts"] input').waitFor();
  const found: ReportLine[] = [];
  for (const [what, act] of Object.entries(ACTIONS)) {
    const took: number[] = [];
    for (let time = 0; time <= times; time++) {
      const one = await page.evaluate<number>(`new Promise((resolve) => {
        const began = performance.now();
        ${act};
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
      })`);
      await page.evaluate(SETTLED);
      if (time > 0) took.push(one);
    }
    found.push(line(`  ${what}`, took, 100));
  }
  return found;
}

const line = (what: string, took: readonly number[], goal: number): ReportLine => ({
  what,
  base: "-",
  figures: [
    { name: "min", value: least(took) },
    { name: "p50", value: median(took) },
    { name: "max", value: Math.max(...took) },
  ],
  goal,
  unit: " ms",
});
