import type { ClientBase } from "pg";
import {
  registeredPasskey,
  registrationOptions,
  type RegistrationOptions,
} from "../../../src/adapters/identity/register-passkey.ts";
import { relyingPartyId } from "../../../src/adapters/identity/relying-party.ts";
import { systemClock } from "../../../src/compose/project-location.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { NewPasskey } from "../../../src/schema/api-passkey.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import type { TeamPage } from "../page/team-page-parts.ts";
import { openChallenge, takeChallenge } from "./passkey-challenges.ts";
import { needPasskeyOrigin } from "./passkey-origin.ts";
import { keepPasskey, listPasskeys, type TeamPasskey } from "./team-passkeys.ts";

/** Returns the options for a browser to create a passkey. */
export async function teamRegistrationOptions(page: TeamPage, person: string): Promise<RegistrationOptions> {
  const { pool } = page.server;
  const options = await registrationOptions({
    person,
    relyingParty: relyingPartyId(needPasskeyOrigin(page)),
    known: await listPasskeys(pool, person),
    residentKey: "required",
  });
  await openChallenge(pool, { purpose: "register", person }, { challenge: options.challenge });
  return options;
}

export type PasskeyRegistration = {
  readonly person: string;
  readonly made: NewPasskey;
  /** Runs in the same transaction. If it returns false, nothing is registered. */
  readonly also?: (client: ClientBase) => Promise<boolean>;
};

/**
 * Registers a passkey created by the browser. @throws ProblemError PASSKEY_REFUSED if it was not requested, came too late,
 * or is already registered, or if its invitation was used in the meantime
 */
export async function registerTeamPasskey(
  page: TeamPage,
  { person, made, also }: PasskeyRegistration,
): Promise<TeamPasskey> {
  const { pool } = page.server;
  const origin = needPasskeyOrigin(page);
  const taken = await takeChallenge(pool, { purpose: "register", person }, made.response.response.clientDataJSON);
  if (taken === null) throw refused("it was not asked for, or came too late");
  const passkey = await registeredPasskey(made, { challenge: taken.challenge, origin, now: systemClock.now() });
  const kept: TeamPasskey = { ...passkey, person, relyingParty: relyingPartyId(origin) };
  await inTransaction(pool, async (client) => {
    if (also !== undefined && !(await also(client))) throw refused("the invitation was used in the meantime");
    if (!(await keepPasskey(client, kept))) throw refused("it is registered already");
  });
  return kept;
}

const refused = (detail: string): ProblemError => new ProblemError({ code: "PASSKEY_REFUSED", detail });
