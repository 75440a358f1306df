import { lookup } from "node:dns/promises";
import { createServer as createProxy, type IncomingMessage, request, type ServerResponse } from "node:http";
import {
  BlockList,
  connect,
  createServer,
  isIP,
  isIPv6,
  type LookupFunction,
  type Server,
  type Socket,
} from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { nodeFiles, readSmall } from "../files/file-system.ts";
import { makeExitFolder } from "../files/temporary-folder.ts";
import type { Environment } from "../process/child-environment.ts";
import type { Bound } from "./bwrap-arguments.ts";

/**
 * Way from a separate network of a sandbox to the hosts outside of this machine: a proxy for HTTP and HTTPS, and the
 * ports of services on this machine that the agent's variables or settings name, such as a local model.
 */
export type ForwardedNetwork = {
  readonly folder: Bound;
  readonly variables: Readonly<Record<string, string>>;
  /** Starts the program after the ports inside are open. */
  wrap(argv: readonly string[]): readonly string[];
};

const INSIDE = "/run/isdlc-network";
const PROXY_PORT = 3128; // free: each sandbox has its own ports
const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";

/** Read by most programs; Node reads them if told to. */
const VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, PROXY] as const),
  ),
  NO_PROXY: DIRECT,
  no_proxy: DIRECT,
  NODE_USE_ENV_PROXY: "1",
};

/** True if the user's own proxy is set: requests would have to go through both. */
export const hasOwnProxy = (env: Environment): boolean =>
  Object.entries(env).some(([name, value]) => /^(?:https?|all)_proxy$/i.test(name) && (value ?? "") !== "");

/**
 * `settings`: files of the agent product in which the user may name a model service.
 * @throws ProblemError SANDBOX_UNAVAILABLE if no socket can be created
 */
export function forwardNetwork(env: Environment, settings: readonly string[] = []): ForwardedNetwork {
  const folder = makeExitFolder();
  const services = namedServices([...Object.values(env), ...settings.map(readSettings)].join("\n"));
  const ports = [...new Set(services.filter(({ host }) => isLoopback(host)).map(({ port }) => port))];
  listen(proxyServer(new Set(services.map(({ host, port }) => `${host}:${port}`))), join(folder, "proxy"));
  for (const port of ports) listen(portServer(port), join(folder, String(port)));
  const doors = [[PROXY_PORT, join(INSIDE, "proxy")], ...ports.map((port) => [port, join(INSIDE, String(port))])];
  return {
    folder: { from: folder, at: INSIDE },
    variables: VARIABLES,
    wrap: (argv) => [process.execPath, "-e", FORWARDER, "--", JSON.stringify(doors), ...argv],
  };
}

function listen(server: Server, path: string): void {
  let failure = "";
  server.on("error", ({ message }) => (failure = message)).listen(path);
  server.unref();
  if (server.listening) return;
  const fix = "isdlc config set sandbox-network shared";
  throw new ProblemError({ code: "SANDBOX_UNAVAILABLE", why: `its network has no socket ${path} ${failure}`, fix });
}

type Service = { readonly host: string; readonly port: number };

const URLS = /https?:\/\/[^\s"'`<>]+/g;

function namedServices(text: string): readonly Service[] {
  return [...text.matchAll(URLS)].flatMap(([found]) => {
    if (!URL.canParse(found)) return [];
    const { hostname, port, protocol } = new URL(found);
    return [{ host: bare(hostname), port: effectivePort(port, protocol) }];
  });
}

const MAX_AGENT_SETTINGS_BYTES = 1024 * 1024;
const readSettings = (file: string): string =>
  readSmall(nodeFiles, file, MAX_AGENT_SETTINGS_BYTES)?.toString("utf8") ?? "";

const bare = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();
const effectivePort = (port: string, protocol: string): number =>
  port === "" ? (protocol === "http:" ? 80 : 443) : Number(port);
const isLoopback = (host: string): boolean => DIRECT.split(",").includes(host);

/** Addresses of this machine: services there are for its users, not for agents. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const [network, bits] of [
    ["0.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const)
    own.addSubnet(network, bits, "ipv4");
  own.addSubnet("fe80::", 10, "ipv6");
  for (const address of ["::", "::1"]) own.addAddress(address, "ipv6");
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((one) => one ?? []))
    own.addAddress(address, family === "IPv6" ? "ipv6" : "ipv4");
  return own;
}

/**
 * Resolves a host once, and returns a lookup with exactly the addresses that were checked. Null if they all belong to
 * this machine.
 */
async function findRoute({ host, port }: Service, named: ReadonlySet<string>): Promise<LookupFunction | null> {
  const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host, family: isIP(host) }];
  const own = ownAddresses();
  const isOpen = named.has(`${host}:${port}`);
  const outside = found.filter(({ address }) => isOpen || !own.check(address, isIPv6(address) ? "ipv6" : "ipv4"));
  const [first] = outside;
  if (first === undefined) return null;
  return (_host, { all }, callback) =>
    all === true ? callback(null, outside) : callback(null, first.address, first.family);
}

function proxyServer(named: ReadonlySet<string>): Server {
  const server = createProxy((asked, answer) => void forward(asked, answer, named).catch(() => answer.destroy()));
  server.on("connect", (asked: IncomingMessage, inside: Socket, head: Buffer) => {
    inside.on("error", () => inside.destroy());
    void tunnel(asked.url ?? "", { inside, head }, named).catch(() => refuse(inside, "502 Bad Gateway"));
  });
  return server;
}

type Inside = { readonly inside: Socket; readonly head: Buffer };

async function tunnel(target: string, { inside, head }: Inside, named: ReadonlySet<string>): Promise<void> {
  const url = URL.canParse(`http://${target}`) ? new URL(`http://${target}`) : null;
  if (url === null) return refuse(inside, "400 Bad Request");
  const service = { host: bare(url.hostname), port: effectivePort(url.port, "http:") };
  const route = await findRoute(service, named);
  if (route === null) return refuse(inside, "403 Forbidden");
  const fail = (): void => refuse(inside, "502 Bad Gateway");
  const outside = connect({ ...service, lookup: route, allowHalfOpen: true }, () => {
    outside.off("error", fail);
    inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    outside.write(head);
    joinSockets(inside, outside);
  });
  outside.on("error", fail);
}

const refuse = (inside: Socket, status: string): void =>
  void inside.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);

async function forward(asked: IncomingMessage, answer: ServerResponse, named: ReadonlySet<string>): Promise<void> {
  const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
  if (url === null || url.protocol !== "http:") return void answer.writeHead(400).end();
  const service = { host: bare(url.hostname), port: effectivePort(url.port, "http:") };
  const route = await findRoute(service, named);
  if (route === null) return void answer.writeHead(403).end();
  const { "proxy-connection": _, ...headers } = asked.headers;
  const { method = "GET" } = asked;
  const path = url.pathname + url.search;
  const outside = request({ ...service, lookup: route, method, path, headers }, (came) => {
    answer.writeHead(came.statusCode ?? 502, came.headers);
    came.pipe(answer);
  });
  outside.on("error", () => answer.destroy());
  answer.on("close", () => outside.destroy());
  asked.pipe(outside);
}

const portServer = (port: number): Server =>
  createServer({ allowHalfOpen: true }, (inside) =>
    joinSockets(inside, connect({ host: "localhost", port, allowHalfOpen: true })),
  );

/** Connects two sockets until both ends are closed. */
function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy()).on("close", () => to.destroy());
  }
}

/**
 * Program inside the sandbox, for the same Node.js: opens a port for each socket, then runs the agent as its child. The
 * network inside has nothing but these ports.
 */
const FORWARDER = `
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [, doors, program, ...args] = process.argv;
const open = ([port, path]) => new Promise((resolve, reject) => {
  createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path, allowHalfOpen: true });
    inside.pipe(outside).pipe(inside);
    inside.on("error", () => outside.destroy()).on("close", () => outside.destroy());
    outside.on("error", () => inside.destroy()).on("close", () => inside.destroy());
  }).on("error", reject).listen(port, "127.0.0.1", resolve);
});
const [proxy, ...services] = JSON.parse(doors);
Promise.all([open(proxy), ...services.map((door) => open(door).catch(() => undefined))]).then(() => {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", ({ message }) => { console.error(message); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}, ({ message }) => { console.error(message); process.exit(126); });
`;
