import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import type { ClientBase } from "pg";
import * as z from "zod/mini";
import { relyingPartyId } from "../../../src/adapters/identity/relying-party.ts";
import { verifyAssertion } from "../../../src/adapters/identity/verify-assertion.ts";
import type { ApiProblem } from "../../../src/schema/api.ts";
import { Assertion, type Challenge, NewPasskey } from "../../../src/schema/api-passkey.ts";
import { keepSession } from "../page/page-cookie.ts";
import { beginSession } from "../page/page-sessions.ts";
import { attempt, type Entrance } from "../page/sign-in-attempt.ts";
import { PAGE_API, type TeamPage } from "../page/team-page-parts.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { invitedBy, useInvitation } from "./invitations.ts";
import { openChallenge, takeChallenge } from "./passkey-challenges.ts";
import { needPasskeyOrigin } from "./passkey-origin.ts";
import { registerTeamPasskey, teamRegistrationOptions } from "./register-team-passkey.ts";
import { findPasskey, notePasskeyUse } from "./team-passkeys.ts";

const CHALLENGE_BYTES = 32;

const invitation = z.string().check(z.regex(/^isdlc_invitation_[A-Za-z0-9_-]{43}$/));
export const Invited = z.strictObject({ invitation });
export const InvitedPasskey = z.strictObject({ invitation, passkey: NewPasskey });

/** Adds sign-in with a passkey, and with an invitation to register one. */
export function addPasskeySignIn(app: Hono<TeamEnv>, entrance: Entrance): void {
  const { page } = entrance;
  const { pool } = page.server;
  app.post(`${PAGE_API}/session/passkey/challenge`, async (context) => {
    const relyingParty = relyingPartyId(needPasskeyOrigin(page));
    const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
    await openChallenge(pool, SIGN_IN, { challenge });
    return context.json({ challenge, relyingParty, passkeys: [] } satisfies Challenge);
  });
  app.post(`${PAGE_API}/session/passkey`, async (context) => {
    const assertion = Assertion.parse(await context.req.json());
    const answer = async (): Promise<Response | null> => {
      const passkey = await shownPasskey(page, assertion);
      const secret = passkey === null ? null : await beginSession(pool, { way: "passkey", of: passkey });
      if (secret === null) return null;
      keepSession(context, page, secret);
      return context.json({});
    };
    return attempt(entrance, context, { known: assertion.id, answer, refusal: PASSKEY_REFUSED });
  });
  app.post(`${PAGE_API}/session/invitation/options`, async (context) => {
    const { invitation: secret } = Invited.parse(await context.req.json());
    const answer = async (): Promise<Response | null> => {
      const person = await invitedBy(pool, secret);
      return person === null ? null : context.json(await teamRegistrationOptions(page, person));
    };
    return attempt(entrance, context, { known: secret, answer, refusal: INVITATION_REFUSED });
  });
  app.post(`${PAGE_API}/session/invitation`, async (context) => {
    const { invitation: secret, passkey: made } = InvitedPasskey.parse(await context.req.json());
    const answer = async (): Promise<Response | null> => {
      const person = await invitedBy(pool, secret);
      if (person === null) return null;
      const also = (client: ClientBase): Promise<boolean> => useInvitation(client, secret);
      const { id, name } = await registerTeamPasskey(page, { person, made, also });
      const session = await beginSession(pool, { way: "passkey", of: id });
      if (session !== null) keepSession(context, page, session);
      return context.json({ name });
    };
    return attempt(entrance, context, { known: secret, answer, refusal: INVITATION_REFUSED });
  });
}

const SIGN_IN = { purpose: "sign-in", person: null } as const;

/** Returns the passkey that signed a challenge of this server on its web UI, otherwise null. */
async function shownPasskey(page: TeamPage, assertion: Assertion): Promise<string | null> {
  const { pool } = page.server;
  const taken = await takeChallenge(pool, SIGN_IN, assertion.clientData);
  const key = await findPasskey(pool, assertion.id);
  if (taken === null || key === null) return null;
  const { id: passkey, clientData, authenticatorData, signature: bytes } = assertion;
  const expected = { key, origin: needPasskeyOrigin(page), counter: key.counter, challenge: taken.challenge };
  const verified = await verifyAssertion({ passkey, clientData, authenticatorData, bytes }, expected);
  if (!verified.ok) return null;
  await notePasskeyUse(pool, key.id, verified.counter);
  return key.id;
}

const PASSKEY_REFUSED: ApiProblem = {
  code: "PASSKEY_REFUSED",
  what: "This passkey is not known here, or its challenge has expired.",
  fix: "Try it again, or sign in another way.",
};
const INVITATION_REFUSED: ApiProblem = {
  code: "INVITATION_REFUSED",
  what: "This invitation is not known here, was used before or has expired.",
  fix: "Ask the operator of the server for a new one: isdlc server invite <name>",
};
