import type { RequestListener } from "node:http";
import { join, dirname } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { packageRoot } from "../../../src/adapters/project-files/package-root.ts";
import { commonHeaders, localOrigins } from "../../../src/surfaces/web-ui/guard.ts";
import { systemClock } from "../../../src/compose/project-location.ts";
import { version } from "../../../src/compose/version.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { createRepositoryCopies } from "../copies/repository-copies.ts";
import { SERVING } from "../database/own-database.ts";
import { createPostgresJournal } from "../journal-postgres/create-postgres-journal.ts";
import { migrateDatabase } from "../journal-postgres/migrate-database.ts";
import { startMergeAudit } from "../merging/start-merge-audit.ts";
import { openPool } from "../journal-postgres/open-pool.ts";
import type { NotificationSettings } from "../notifications/notification-settings.ts";
import { startNotifications } from "../notifications/send-notifications.ts";
import { createServerMetrics, serveMetrics } from "../operations/metrics.ts";
import { startRetention } from "../operations/retention.ts";
import { startTracing } from "../operations/tracing.ts";
import type { Log } from "../structured-log.ts";
import { createProvider, type ProviderSettings } from "../oidc/provider.ts";
import { createAuthentication } from "../people/authenticate.ts";
import { createPageTrees } from "../page/page-trees.ts";
import { createTeamSeal } from "../seal/team-seal.ts";
import { createTeamApp } from "./create-team-app.ts";
import { createLimitedServer, SERVER_LIMITS } from "./limited-server.ts";
import { listenAt } from "./listen-at.ts";
import { startPacing } from "./pacing.ts";
import { createReportListener, type ReportListener } from "./report-listener.ts";
import type { TeamEnv } from "./team-server.ts";
import { startWatchdog } from "./watchdog.ts";
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

export type ServerOptions = {
  readonly database: string;
  readonly host: string;
  readonly port: number;
  /** Addresses shared by many clients, such as proxies. */
  readonly sharedAddresses: readonly string[];
  readonly keyFile: string;
  /** Maximum silence of a worker in milliseconds. */
  readonly lease: number;
  readonly drivesPerWorker: number;
  /** Maximum number of live processes per worker token. */
  readonly instances: number;
  /** Null if metrics are disabled. */
  readonly metricsPort: number | null;
  /** Days that silent workers and settled notifications are stored. */
  readonly keepDays: number;
  /** Public origin of the server; null if it serves this machine only. */
  readonly origin: string | null;
  /** Sign-in provider, if configured. */
  readonly provider: ProviderSettings | null;
  /** Folder for the server's copies of repositories. */
  readonly copies: string;
  /** Maximum size of a copy. */
  readonly maxCopyBytes: number;
  readonly notifications: NotificationSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
};

export type RunningServer = { readonly port: number; readonly metricsPort: number | null; close(): Promise<void> };

const CONNECTIONS = 10;
/** Subfolder of the server's copies for merging. */
export const REPOSITORIES = "repositories";

/**
 * Starts a server: it decides, signs, grants leases and watches workers, but drives no runs. Any number of servers can
 * share a database. @throws ProblemError CANNOT_LISTEN
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const opened: CloseServer[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await open(options, (end) => void opened.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type CloseServer = () => unknown;

/** Opens all parts. They are closed in reverse order. */
async function open(
  options: ServerOptions,
  closing: (end: CloseServer) => void,
): Promise<Omit<RunningServer, "close">> {
  const { database, host, port, lease, log } = options;
  const pool = openPool(database, CONNECTIONS, { application_name: SERVING });
  closing(() => pool.end());
  await migrateDatabase(pool);
  const { privateKey, publicPem } = loadServerKey(options.keyFile);
  const seal = createTeamSeal(privateKey);
  const journal = createPostgresJournal({ pool, seal, clock: systemClock, decide, place: "server", sender: "server" });
  const metrics = createServerMetrics(pool);
  const tracing = startTracing("isdlc-server", options.env);
  closing(() => tracing.stop());
  const limits = { lease, drives: options.drivesPerWorker, instances: options.instances };
  const keeper = { pool, journal, metrics, limits };
  let taken = port;
  const origins = (): readonly string[] => (options.origin === null ? localOrigins(taken) : [options.origin]);
  const authentication = createAuthentication(pool);
  const { notifications, maxCopyBytes: maxBytes } = options;
  const copies = createRepositoryCopies({ folder: join(options.copies, REPOSITORIES), env: options.env, maxBytes });
  const pacing = startPacing({ pool, lease, log });
  closing(() => pacing.stop());
  const server = { ...keeper, pacing, version, keys: [publicPem], log, tracing, authentication, notifications, copies };
  const app = createTeamApp(server, {
    trees: createPageTrees({ data: options.copies, env: options.env, maxBytes }),
    origins,
    provider: options.provider === null ? null : createProvider(options.provider),
    web: join(packageRoot(), "dist", "web"),
  });
  const told = options.metricsPort === null ? null : await serveMetrics(metrics.registry, options.metricsPort);
  closing(() => told?.close());
  const listener = answering(app, createReportListener(server, HEADERS));
  const limited = { limits: SERVER_LIMITS, shared: new Set(options.sharedAddresses), log };
  const http = await listenAt(createLimitedServer(listener, limited), { host, port, option: "port" });
  taken = http.port;
  const origin = (): string => origins()[0] ?? "";
  const minding = [
    startWatchdog(keeper, log),
    startMergeAudit({ pool, copies, log, metrics }),
    startRetention({ pool, days: options.keepDays, log }),
    startNotifications({ pool, journal, metrics, log, origin, settings: notifications }),
  ];
  for (const one of minding) closing(() => one.stop());
  closing(() => http.close());
  return { port: taken, metricsPort: told?.port ?? null };
}

const HEADERS = { "Cache-Control": "no-store", ...commonHeaders };

/** Sets the common headers before the application sees a request. It can replace them. */
function answering(app: Hono<TeamEnv>, reports: ReportListener): RequestListener {
  const answer = getRequestListener(app.fetch);
  const headers = new Map(Object.entries(HEADERS));
  return (request, response) => {
    if (reports(request, response)) return;
    response.setHeaders(headers);
    void answer(request, response);
  };
}

type ServerKey = { readonly privateKey: KeyObject; readonly publicPem: string };

/** Reads the key that signs decisions, and creates it if the file is missing. Several servers can share one file. */
function loadServerKey(file: string): ServerKey {
  if (!existsSync(file)) createKey(file);
  const privateKey = createPrivateKey(readFileSync(file));
  const publicPem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  return { privateKey, publicPem };
}

/** Never replaces a key or exposes an incomplete file, even if another server creates or reads it concurrently. */
function createKey(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync("ed25519");
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  try {
    linkSync(whole, file);
  } catch (error) {
    if (!existsSync(file)) throw error; // otherwise another server was first
  } finally {
    rmSync(whole, { force: true });
  }
}
