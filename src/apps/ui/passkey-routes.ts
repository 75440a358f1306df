import type { Hono } from "hono";
import * as z from "zod/mini";
import { AnswerRequest } from "../../schema/api.ts";
import { NewPasskey } from "../../schema/api-passkey.ts";
import type { Env } from "./create-app.ts";
import type { Served } from "./served.ts";
import { challengeOf } from "./signed-answer.ts";

/** How decisions are signed, and how a passkey is registered. */
export function addPasskeyRoutes(app: Hono<Env>, served: Served): void {
  const { repository, registration, origin } = served;
  app.post("/api/runs/:run/challenge", async (context) => {
    const found = repository.find(context.req.param("run"));
    return context.json(challengeOf(served, found, z.parse(AnswerRequest, await context.req.json())));
  });
  if (registration === null) return;
  app.post("/api/passkeys/options", async (context) => context.json(await registration.options()));
  app.post("/api/passkeys", async (context) => {
    const passkey = await registration.add(z.parse(NewPasskey, await context.req.json()), origin());
    context.env.outgoing.once("finish", () => registration.end(passkey));
    return context.json({ name: passkey.name });
  });
}
