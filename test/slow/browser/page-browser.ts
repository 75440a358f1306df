import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import type { Running, Sandbox } from "../../support/cli.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/** Prevents network requests by the browser itself. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let shared: Promise<Browser> | null = null;
const browser = (): Promise<Browser> => (shared ??= chromium.launch({ executablePath: CHROMIUM, args: QUIET }));
const servers: Running[] = [];
afterAll(async () => {
  await (await shared)?.close();
  for (const { child } of servers) child.kill("SIGINT");
  await Promise.all(servers.map(({ ended }) => ended));
});

export type ServedUi = Running & { readonly link: string; readonly origin: string };

/** `isdlc ui` started with the user's token. */
export const serve = (sandbox: Sandbox, ...args: readonly string[]): Promise<ServedUi> =>
  serving(sandbox, ["ui", ...args]);

/** Starts any command that serves the web UI. */
export async function serving(sandbox: Sandbox, args: readonly string[]): Promise<ServedUi> {
  const running = sandbox.start([...args, "--no-open"], { ISDLC_OPERATOR_TOKEN: sandbox.token });
  servers.push(running);
  const link = await new Promise<string>((resolve, reject) => {
    let said = "";
    running.child.stdout?.on("data", (part: Buffer) => {
      said += part.toString("utf8");
      const found = /(http:\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void running.ended.then(({ stdout, stderr }) => reject(new Error(`the page was not served: ${stdout}${stderr}`)));
  });
  return { ...running, link, origin: new URL(link).origin };
}

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Simulates a touch screen without hover. */
  readonly touch?: boolean;
  readonly motion?: "reduce" | "no-preference";
};

export type OpenedPage = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page and its requests to other servers. */
  readonly troubles: readonly string[];
};

/** Opens the web UI in a new browser context. */
export async function open(link: string, look: Look = {}): Promise<OpenedPage> {
  const opened = await openAt(link, look);
  await opened.page.waitForSelector(".content .page, .content .gate");
  return opened;
}

/** Milliseconds until a page must show something, even while other suites run. */
const PAGE_TIMEOUT_MS = Number(process.env["BROWSER_TIMEOUT_MS"] ?? 120_000);

/** Opens any page without waiting for content. Records errors and forbidden requests. */
export async function openAt(link: string, look: Look = {}): Promise<OpenedPage> {
  const { width = 1360, height = 900, dark = false, touch = false, motion = "reduce" } = look;
  const context = await (
    await browser()
  ).newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: motion,
    hasTouch: touch,
    isMobile: touch,
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const troubles = watch(page, new URL(link).origin);
  await page.goto(link);
  return { page, context, troubles };
}

function watch(page: Page, origin: string): string[] {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text())) troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && asked !== origin) troubles.push(`request: ${request.url()}`);
  });
  return troubles;
}

/** The console also lists refusals provoked by a test and servers that a test ends. */
const EXPECTED = /Failed to load resource/;

type AxeViolation = {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
};

/** Fails on serious or critical accessibility findings. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    // The name `axe` exists only after the source above was run.
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  const bad = (found as AxeViolation[]).filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(
    bad.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join("\n")}`,
    ),
  ).toEqual([]);
}
