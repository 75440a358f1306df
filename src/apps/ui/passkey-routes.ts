import type { Hono } from "hono";
import * as z from "zod/mini";
import { AnswerRequest } from "../../schema/api.ts";
import { Assertion, NewPasskey, type StatementOffer, type StatementSignature } from "../../schema/api-passkey.ts";
import { attestedLines, shareLine } from "../../views/attestation/attested.ts";
import type { Env } from "./create-app.ts";
import type { ServerContext } from "./served.ts";
import { createChallenge } from "./signed-answer.ts";

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
    return context.json({ lines: [...attestedLines(statement), shareLine] } satisfies StatementSignature);
  });
  if (registration === null) return;
  app.post("/api/passkeys/options", async (context) => context.json(await registration.options()));
  app.post("/api/passkeys", async (context) => {
    const passkey = await registration.add(z.parse(NewPasskey, await context.req.json()), origin());
    context.env.outgoing.once("finish", () => registration.end(passkey));
    return context.json({ name: passkey.name });
  });
}
