import type { Authenticator, How } from "../../../support/authenticator.ts";
import type { Json } from "../../../support/cli.ts";

/** Sends the requests of a browser to a team's web UI, with its cookie and origin. */
export type PageClient = {
  readonly origin: string;
  readonly cookie: () => string;
  get(path: string): Promise<PageAnswer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  signIn(token: string): Promise<PageAnswer>;
  /** Registers a passkey for the signed-in user. */
  addPasskey(authenticator: Authenticator, how?: How): Promise<PageAnswer>;
  /** Signs in with a passkey. */
  showPasskey(authenticator: Authenticator, how?: How): Promise<PageAnswer>;
};

export type PageAnswer = { readonly status: number; readonly body: Json; readonly headers: Headers };

/** Passkeys need a host name instead of an IP address. */
export const namedOrigin = (url: string): string => `http://localhost:${new URL(url).port}`;

export function createPageClient(url: string): PageClient {
  const origin = namedOrigin(url);
  let cookie = "";
  const answered = async (response: Response): Promise<PageAnswer> => {
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(";", 1)[0] ?? "";
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const get = async (path: string): Promise<PageAnswer> =>
    answered(await fetch(`${origin}/api/page${path}`, { headers: { cookie } }));
  const post: PageClient["post"] = async (path, body, headers = {}) =>
    answered(
      await fetch(`${origin}/api/page${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin, cookie, ...headers },
        body: JSON.stringify(body),
      }),
    );
  const challenge = async (path: string): Promise<string> => (await post(path, {})).body.challenge as string;
  return {
    origin,
    cookie: () => cookie,
    get,
    post,
    signIn: (token) => post("/session", { token }),
    addPasskey: async (authenticator, how) =>
      post("/passkeys", authenticator.make(await challenge("/passkeys/options"), how)),
    showPasskey: async (authenticator, how) =>
      post("/session/passkey", authenticator.assert(await challenge("/session/passkey/challenge"), how)),
  };
}
