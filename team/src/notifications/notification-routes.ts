import type { Hono } from "hono";
import { ProblemError } from "../../../src/core/problem.ts";
import {
  ChannelChange,
  type ChannelList,
  type ChannelSet,
  NotificationChannel,
} from "../../../src/schema/api-notifications.ts";
import type { Principal } from "../people/principals.ts";
import { requirePerson } from "../people/roles.ts";
import type { TeamEnv, TeamServer } from "../server/team-server.ts";
import { askForTest, listChannels, removeChannel, setChannel } from "./notification-channels.ts";

/** Adds routes for a user's own notification channels. No user can set those of another. */
export function addNotificationRoutes(app: Hono<TeamEnv>, { pool, notifications }: TeamServer): void {
  app.get("/api/notifications", async (context) => {
    const person = requirePerson(context.get("principal"));
    return context.json({ channels: await listChannels(pool, person) } satisfies ChannelList);
  });
  app.post("/api/notifications", async (context) => {
    const person = signedIn(context.get("principal"));
    const change = ChannelChange.parse(await context.req.json());
    const secret = await setChannel(pool, notifications, { person, change });
    return context.json({ secret, channels: await listChannels(pool, person) } satisfies ChannelSet);
  });
  app.delete("/api/notifications/:channel", async (context) => {
    const person = signedIn(context.get("principal"));
    const channel = NotificationChannel.parse(context.req.param("channel"));
    return context.json({ isRemoved: await removeChannel(pool, person, channel) });
  });
  app.post("/api/notifications/:channel/test", async (context) => {
    const person = signedIn(context.get("principal"));
    const channel = NotificationChannel.parse(context.req.param("channel"));
    return context.json({ isAsked: await askForTest(pool, person, channel) });
  });
}

/** Rejects personal tokens: a leaked script token must not redirect a user's messages. */
function signedIn(principal: Principal): string {
  const person = requirePerson(principal);
  if (!principal.isPersonal) return person;
  const what = "A personal token is for scripts: it cannot change your notifications.";
  throw new ProblemError({ code: "NOT_ALLOWED", what, fix: "Use the token that you signed in with." });
}
