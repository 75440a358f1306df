import type { Page } from "playwright-core";
import { openAt, type OpenedPage } from "../../browser/page-browser.ts";
import type { Team } from "./team.ts";

/** A team's web UI in a browser, and its requests without one. */

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function signedIn({ url }: Team, token: string): Promise<OpenedPage> {
  const opened = await openAt(url);
  await signIn(opened.page, token);
  await opened.page.getByRole("heading", { name: "Inbox" }).waitFor();
  return opened;
}

export const readCookies = async ({ context }: OpenedPage): Promise<string> =>
  (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");

type PageRequest = { readonly headers: Record<string, string>; readonly body?: unknown };

/** Sends a request of the web UI without a browser. */
export const askPage = ({ url }: Team, path: string, { headers, body }: PageRequest): Promise<Response> =>
  fetch(new URL(`/api/page${path}`, url), {
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });

/** Signs in like a browser. Returns its cookie and headers. */
export async function pageHeaders(team: Team, token: string): Promise<{ origin: string; cookie: string }> {
  const { origin } = new URL(team.url);
  const response = await askPage(team, "/session", { headers: { origin }, body: { token } });
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";", 1);
  return { origin, cookie };
}
