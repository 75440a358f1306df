import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll } from "vitest";

type Claims = Readonly<Record<string, unknown>>;

/** An OpenID provider whose ID tokens contain any claims a test sets. */
export type LyingProvider = {
  readonly issuer: string;
  /** Claims and signature of the next tokens, instead of the true ones. */
  lie: { readonly claims?: Claims; readonly alg?: string; readonly isForged?: boolean };
  /** Addresses of redirected browsers, by their code challenge. */
  readonly asked: Map<string, URL>;
};

export const CLIENT = "isdlc";
const CODE = "a-code";

export async function startLyingProvider(): Promise<LyingProvider> {
  const keys = { own: rsa(), other: rsa() };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await createAnswer(provider, keys, request);
    response.writeHead(body === null ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? { error: "invalid_grant" }));
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const provider: LyingProvider = { issuer: `http://localhost:${port}`, lie: {}, asked: new Map() };
  afterAll(() => void http.close());
  return provider;
}

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
type Keys = { readonly own: Pair; readonly other: Pair };

async function createAnswer(provider: LyingProvider, keys: Keys, request: IncomingMessage): Promise<Claims | null> {
  const { issuer } = provider;
  if (request.url === "/.well-known/openid-configuration")
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    };
  if (request.url === "/keys")
    return { keys: [{ ...keys.own.publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] };
  return request.url === "/token" ? tokenFor(provider, keys, new URLSearchParams(await text(request))) : null;
}

/** Requires the verifier of the code challenge. */
function tokenFor({ issuer, lie, asked }: LyingProvider, { own, other }: Keys, sent: URLSearchParams): Claims | null {
  const verifier = createHash("sha256").update(sent.get("code_verifier") ?? "");
  const away = asked.get(verifier.digest("base64url"));
  if (away === undefined || sent.get("code") !== CODE) return null;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: CLIENT,
    sub: "subject-of-bob",
    iat: now,
    exp: now + 60,
    nonce: away.searchParams.get("nonce"),
    email: "bob@example.org",
    email_verified: true,
    ...lie.claims,
  };
  const key = lie.isForged === true ? other.privateKey : own.privateKey;
  const id_token = jwt(claims, { alg: lie.alg ?? "RS256", key });
  return { access_token: "an-access-token", token_type: "Bearer", id_token };
}

/** Address to which a browser returns with a code. */
export function cameBack({ asked }: LyingProvider, url: string): URL {
  const away = new URL(url);
  asked.set(away.searchParams.get("code_challenge") ?? "", away);
  const back = new URL(away.searchParams.get("redirect_uri") ?? "");
  back.searchParams.set("code", CODE);
  back.searchParams.set("state", away.searchParams.get("state") ?? "");
  return back;
}

const rsa = (): Pair => generateKeyPairSync("rsa", { modulusLength: 2048 });

function jwt(claims: Claims, { alg, key }: { readonly alg: string; readonly key: KeyObject }): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg })}.${part(claims)}`;
  return `${body}.${alg === "none" ? "" : sign("sha256", Buffer.from(body), key).toString("base64url")}`;
}
