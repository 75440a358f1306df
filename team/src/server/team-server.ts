import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Tracer } from "../operations/tracing.ts";
import type { NotificationSettings } from "../notifications/notification-settings.ts";
import type { Log } from "../structured-log.ts";
import { isRunId, type RunId } from "../../../src/schema/ids.ts";
import type { LeaseKeeper } from "./leases.ts";
import type { PaceKeeper } from "./pacing.ts";
import type { RepositoryCopies } from "../copies/repository-copies.ts";
import type { Authentication } from "../people/authenticate.ts";
import type { Principal } from "../people/principals.ts";
import { needRun } from "../people/roles.ts";

/** Dependencies of the routes. */
export type TeamServer = LeaseKeeper & {
  readonly version: string;
  /** Public keys as PEM, to verify this server's decisions. */
  readonly keys: readonly string[];
  readonly log: Log;
  readonly tracing: Tracer;
  readonly authentication: Authentication;
  readonly notifications: NotificationSettings;
  readonly copies: RepositoryCopies;
  readonly pacing: Pick<PaceKeeper, "interval">;
};

/** `incoming` exists if Node serves the request, not if the app is called directly. */
export type TeamEnv = {
  Bindings: { incoming?: Pick<IncomingMessage, "socket" | "destroyed" | "complete"> };
  Variables: { principal: Principal };
};

/** Address of the connection itself: anyone can forge a header. */
export const remoteAddress = ({ env }: Context<TeamEnv>): string => env.incoming?.socket.remoteAddress ?? "";

/** Returns the name of the calling worker. @throws ProblemError NOT_ALLOWED for a user */
export function requireWorker({ id, kind }: Principal): string {
  if (kind === "worker") return id;
  throw new ProblemError({ code: "NOT_ALLOWED", what: "This is for workers.", fix: "Use the token of a worker." });
}

/** Parses a run id from a path. @throws ProblemError NO_RUN */
export function parseRunId(text: string): RunId {
  if (isRunId(text)) return text;
  throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
}

/** Returns the worker and the run of a request. @throws ProblemError NOT_ALLOWED, or NO_RUN outside of its scope */
export async function readScopedRun(
  pool: Pool,
  context: Context<TeamEnv>,
): Promise<{ readonly run: RunId; readonly worker: string }> {
  const principal = context.get("principal");
  const worker = requireWorker(principal);
  const run = parseRunId(context.req.param("run") ?? "");
  await needRun(pool, principal, { run, role: "viewer" });
  return { run, worker };
}
