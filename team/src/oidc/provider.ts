import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import * as z from "zod/mini";
import { ownValue } from "../../../src/core/own-value.ts";
import type { Identity } from "./identities.ts";

/** OpenID provider configured by the server's operator. */
export type ProviderSettings = { readonly issuer: string; readonly client: string; readonly secret: string };

/** State of a sign-in, stored in the browser until it returns from the provider. */
export const Flow = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirect: z.string(),
});
export type Flow = z.infer<typeof Flow>;

export type Provider = {
  /** Host of the provider, for display. */
  readonly name: string;
  /** Returns the provider's URL for the browser, and the flow to store. */
  begin(redirect: string): Promise<{ readonly url: string; readonly flow: Flow }>;
  /**
   * Returns the identity for this query. @throws Error if the query does not belong to the flow or its proof by the
   * provider is invalid
   */
  finish(query: string, flow: Flow): Promise<Identity>;
};

const ANSWERS_WITHIN = 10; // seconds

/** Creates the provider client. Its metadata is fetched on first use: the server starts without the provider. */
export function createProvider(settings: ProviderSettings): Provider {
  let found: Promise<Configuration> | null = null;
  const configuration = (): Promise<Configuration> => {
    found ??= discovered(settings).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  };
  return {
    name: new URL(settings.issuer).host,
    async begin(redirect) {
      const flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), redirect };
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirect,
        scope: "openid email",
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, flow };
    },
    finish: async (query, flow) => readIdentity(await configuration(), query, flow),
  };
}

function discovered({ issuer, client, secret }: ProviderSettings): Promise<Configuration> {
  const address = new URL(issuer);
  const withoutTls = address.protocol === "http:" ? [allowInsecureRequests] : []; // for a provider on this machine only
  return discovery(address, client, secret, undefined, {
    timeout: ANSWERS_WITHIN,
    execute: [enableNonRepudiationChecks, ...withoutTls],
  });
}

async function readIdentity(configuration: Configuration, query: string, flow: Flow): Promise<Identity> {
  const back = new URL(flow.redirect);
  back.search = query;
  const tokens = await authorizationCodeGrant(configuration, back, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider sent no ID token");
  const { iss: issuer, sub: subject } = claims;
  const isTold = claims["email"] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
  const told = isTold ? claims : await fetchUserInfo(configuration, tokens.access_token, subject);
  const email = ownValue(told, "email");
  const isVerified = ownValue(told, "email_verified") === true;
  return { issuer, subject, email: isVerified && typeof email === "string" ? email : null };
}
