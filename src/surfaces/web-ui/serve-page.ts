import { hostname } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../adapters/project-files/package-root.ts";
import { version } from "../../compose/version.ts";
import { ProblemError } from "../../core/problem.ts";
import { flag, type Invocation, text } from "../cli/invocation/verb.ts";
import { createChallenges } from "./challenges.ts";
import { createApp } from "./create-app.ts";
import { createDrivers } from "./drivers.ts";
import { listen, type ListeningServer } from "./listen.ts";
import type { ServerContext } from "./served.ts";
import { createSessions } from "./sessions.ts";
import { createStatementSigning } from "./statement-signing.ts";
import { pagePort } from "../../compose/open-elsewhere.ts";
import { spawn } from "node:child_process";
import type { RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { localOrigins, commonHeaders, type RequestRefusal, findRefusal } from "./guard.ts";

export type PageOptions = Pick<ServerContext, "repository" | "opener" | "registration"> & {
  /** Path of the link. */
  readonly path: string;
};

export type ServedPage = {
  readonly port: number;
  newLink(): string;
  close(): Promise<void>;
};

/**
 * Starts the server, opens a browser if possible, and prints the link.
 * @throws ProblemError if the port cannot be used.
 */
export async function servePage(invocation: Invocation, wanted: PageOptions): Promise<ServedPage> {
  const { path, ...parts } = wanted;
  const warn = (warning: string): void => invocation.io.err(`warning: ${warning}`);
  const sessions = createSessions(Date.now, () => warn(STOLEN));
  let listening: ListeningServer | null = null;
  const origin = (): string => `http://localhost:${listening?.port ?? 0}`;
  const app = createApp({
    ...parts,
    sessions,
    challenges: createChallenges(Date.now),
    statements: createStatementSigning(Date.now),
    origin,
    drivers: createDrivers(() => undefined),
    version,
    web: join(packageRoot(), "dist", "web"),
    warn,
  });
  const place = choosePort(invocation, wanted.repository.here.root);
  const answer = createListener(app, () => listening?.port ?? 0);
  listening = await listen(answer, place).catch((error: unknown) => {
    throw portTaken(error, place.port);
  });
  const page = listening;
  const newLink = (): string => `${origin()}${path}#${sessions.createSecret()}`;
  if (page.port !== place.port) warn(portText(place.port, page.port));
  tellLink(invocation, page.port, newLink());
  return { port: page.port, newLink, close: () => page.close() };
}

const portText = (wanted: number, used: number): string =>
  `Port ${wanted} was taken, so the web UI is at port ${used}. Drafts written at port ${wanted} appear there, too: isdlc keeps a copy.`;

const STOLEN =
  "A link was used a second time: another program may have read it. Its session has been ended; press Enter for a new link.";

function tellLink({ io, env, values }: Invocation, port: number, link: string): void {
  if (io.interactive && !flag(values, "no-open") && canOpenBrowser(env)) openBrowser(link);
  io.out(`The page is at ${link}`);
  io.out("The link is good for one browser. Enter prints another, Ctrl-C closes the page.");
  if (isRemote(env)) io.out(`From your own machine: ssh -L ${port}:localhost:${port} ${hostname()}`);
}

function choosePort({ values, verb }: Invocation, root: string): { port: number; isFixed: boolean } {
  const said = text(values, "port");
  if (said === undefined) return { port: pagePort(root), isFixed: false };
  const port = Number(said);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return { port, isFixed: true };
  throw new ProblemError({ code: "USAGE", detail: "--port takes a number up to 65535.", usage: verb.usage });
}

const portTaken = (error: unknown, port: number): ProblemError =>
  new ProblemError(
    {
      code: "USAGE",
      detail: `Port ${port} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
      usage: "isdlc ui --port <n>",
    },
    { cause: error },
  );

type Opener = { readonly program: string; readonly args: readonly string[] };

const OPENERS: { readonly [P in NodeJS.Platform]?: Opener } = {
  darwin: { program: "open", args: [] },
  win32: { program: "rundll32", args: ["url.dll,FileProtocolHandler"] },
  linux: { program: "xdg-open", args: [] },
};

/** Returns true if this machine can display a browser to the user. */
function canOpenBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (isRemote(env)) return false;
  if (platform !== "linux") return OPENERS[platform] !== undefined;
  return (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
}

const isRemote = (env: NodeJS.ProcessEnv): boolean => (env["SSH_CONNECTION"] ?? "") !== "";

/** Asks the system to open a link, without checking the result. */
function openBrowser(link: string): void {
  const opener = OPENERS[process.platform];
  if (opener === undefined) return;
  const child = spawn(opener.program, [...opener.args, link], { stdio: "ignore", detached: true });
  child.on("error", () => undefined); // the link is printed, too
  child.unref();
}

/** Checks the source of a request before any other code sees it: even its URL may be malformed. */
export function createListener(app: ReturnType<typeof createApp>, port: () => number): RequestListener {
  const answer = getRequestListener(app.fetch);
  return (request, response) => {
    const { method = "", url = "", headers } = request;
    const refusal = findRefusal({ method, path: url.split("?", 1)[0] ?? "", headers }, localOrigins(port()));
    if (refusal === null) void answer(request, response);
    else refuse(response, refusal);
  };
}

function refuse(response: ServerResponse, { status, what }: RequestRefusal): void {
  response.writeHead(status, { ...commonHeaders, "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify({ problem: { code: "REFUSED", what, fix: "" } }));
}
