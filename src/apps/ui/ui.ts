import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../adapters/definitions/package-root.ts";
import { sha256 } from "../../adapters/file-system/node-crypto.ts";
import { ProblemError } from "../../core/problem.ts";
import { done, flag, type Invocation, type Result, type Run, text } from "../cli/grammar/verb.ts";
import { givenToken } from "../cli/main/operator-token.ts";
import { problemResult } from "../cli/main/run-cli.ts";
import { withSignals } from "../cli/main/signals.ts";
import { version } from "../../compose/version.ts";
import { createApp } from "./create-app.ts";
import { createDrivers } from "./go-on.ts";
import { listen, type Listening } from "./listen.ts";
import { canOpenBrowser, isRemote, openBrowser } from "./open-browser.ts";
import { openerOf, whyReadOnly } from "./person.ts";
import { openRepository } from "./repository.ts";
import { createListener } from "./request-listener.ts";
import { createSessions, type Sessions } from "./sessions.ts";

/** Serves the page until it is stopped. Bundled apart, so that problems are told here. */
export const ui: Run = async (invocation) => {
  try {
    return await withSignals((signal) => serve(invocation, signal));
  } catch (error) {
    if (error instanceof ProblemError) return problemResult(error.problem);
    throw error;
  }
};

async function serve(invocation: Invocation, signal: AbortSignal): Promise<Result> {
  const { cwd, env, io } = invocation;
  const repository = openRepository(cwd, env);
  const token = givenToken(invocation);
  const opener = await openerOf(repository.here, token, userInfo().username);
  const warn = (warning: string): void => io.err(`warning: ${warning}`);
  const sessions = createSessions(Date.now, () => warn(STOLEN));
  let listening: Listening | null = null;
  const app = createApp({
    repository,
    sessions,
    drivers: createDrivers(() => undefined),
    opener,
    version,
    web: join(packageRoot(), "dist", "web"),
    warn,
  });
  const wanted = portOf(invocation, repository.here.root);
  const answer = createListener(app, () => listening?.port ?? 0);
  listening = await listen(answer, wanted).catch((error: unknown) => {
    throw portTaken(error, wanted.port);
  });
  const { port } = listening;
  tellLink(invocation, port, sessions);
  const readOnly = whyReadOnly(repository.here, opener);
  if (readOnly !== null) io.err(readOnly);
  await untilStopped(invocation, signal, () => io.out(linkAt(port, sessions)));
  await listening.close();
  return done(["Closed. Runs that were going on go on."], { port });
}

/** Enter asks for another link. */
function untilStopped({ io }: Invocation, signal: AbortSignal, onEnter: () => void): Promise<void> {
  if (io.interactive) process.stdin.on("data", onEnter);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      if (io.interactive) process.stdin.off("data", onEnter).pause();
      resolve();
    });
  });
}

const STOLEN =
  "A link was used a second time: another program may have read it. Its session has been ended; press Enter for a new link.";

const linkAt = (port: number, sessions: Sessions): string => `http://localhost:${port}/#${sessions.createSecret()}`;

function tellLink({ io, env, values }: Invocation, port: number, sessions: Sessions): void {
  const link = linkAt(port, sessions);
  if (io.interactive && !flag(values, "no-open") && canOpenBrowser(env)) openBrowser(link);
  io.out(`The page is at ${link}`);
  io.out("The link is good for one browser. Enter prints another, Ctrl-C closes the page.");
  if (isRemote(env)) io.out(`From your own machine: ssh -L ${port}:localhost:${port} ${hostname()}`);
}

const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** The same for a repository every time: what a browser keeps for the page, like drafts, belongs to its port. */
function portOf({ values, verb }: Invocation, root: string): { port: number; isFixed: boolean } {
  const said = text(values, "port");
  if (said === undefined)
    return { port: FIRST_PORT + (Number.parseInt(sha256(root).slice(0, 8), 16) % PORTS), isFixed: false };
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
