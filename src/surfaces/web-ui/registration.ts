import {
  registeredPasskey,
  registrationOptions,
  type RegistrationOptions,
} from "../../adapters/identity/register-passkey.ts";
import { THIS_MACHINE } from "../../adapters/identity/relying-party.ts";
import type { LocalProject } from "../../compose/project.ts";
import { ProblemError } from "../../core/problem.ts";
import { NewPasskey, Assertion, type StatementOffer, type StatementSignature } from "../../schema/api-passkey.ts";
import type { Passkey } from "../../ports/callers.ts";
import type { Hono } from "hono";
import * as z from "zod/mini";
import { AnswerRequest } from "../../schema/api.ts";
import type { Env } from "./create-app.ts";
import type { ServerContext } from "./served.ts";
import { createChallenge } from "./signed-answer.ts";
import { attestedLines, shareLine } from "../../views/attestation/badge.ts";

/** Registration of one passkey. Without it, the server registers none. */
export type Registration = {
  options(): Promise<RegistrationOptions>;
  /** @throws ProblemError PASSKEY_REFUSED if the browser was not asked for this passkey. */
  add(made: NewPasskey, origin: string): Promise<Passkey>;
  /** Called after the browser received the response: the page is no longer needed. */
  end(passkey: Passkey): void;
};

export function createRegistration(
  { passkeys, clock }: Pick<LocalProject, "passkeys" | "clock">,
  person: string,
  onEnd: (passkey: Passkey) => void,
): Registration {
  let challenge: string | null = null;
  return {
    async options() {
      const options = await registrationOptions({
        person,
        relyingParty: THIS_MACHINE,
        known: passkeys.list(),
        residentKey: "preferred",
      });
      ({ challenge } = options);
      return options;
    },
    async add(made, origin) {
      const asked = challenge;
      challenge = null;
      if (asked === null) throw new ProblemError({ code: "PASSKEY_REFUSED", detail: "nothing was asked for" });
      const passkey = await registeredPasskey(made, { challenge: asked, origin, now: clock.now() });
      passkeys.keep(passkey);
      return passkey;
    },
    end: onEnd,
  };
}

/** Adds the routes to sign decisions and statements, and to register a passkey. */
export function addPasskeyRoutes(app: Hono<Env>, served: ServerContext): void {
  const { repository, registration, statements, origin } = served;
  app.post("/api/runs/:run/challenge", async (context) => {
    const found = repository.find(context.req.param("run"));
    return context.json(createChallenge(served, found, z.parse(AnswerRequest, await context.req.json())));
  });
  app.get("/api/runs/:run/statement", (context) => {
    const isOffered = statements.isOffered(repository.find(context.req.param("run")));
    return context.json({ isOffered } satisfies StatementOffer);
  });
  app.post("/api/runs/:run/statement/challenge", async (context) =>
    context.json(await statements.create(repository.find(context.req.param("run")))),
  );
  app.post("/api/runs/:run/statement", async (context) => {
    const found = repository.find(context.req.param("run"));
    const assertion = z.parse(Assertion, await context.req.json());
    const statement = await statements.take(found, assertion, origin());
    return context.json({
      lines: [...attestedLines({ statement, landing: null }), shareLine],
    } satisfies StatementSignature);
  });
  if (registration === null) return;
  app.post("/api/passkeys/options", async (context) => context.json(await registration.options()));
  app.post("/api/passkeys", async (context) => {
    const passkey = await registration.add(z.parse(NewPasskey, await context.req.json()), origin());
    context.env.outgoing.once("finish", () => registration.end(passkey));
    return context.json({ name: passkey.name });
  });
}
