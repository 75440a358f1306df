import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Log } from "../structured-log.ts";

export type RoomOptions = {
  /** Maximum number of connections. */
  readonly most: number;
  /** Maximum per address, unless it is shared. */
  readonly mostOfAddress: number;
  /**
   * Addresses shared by many clients, such as proxies and gateways. Addresses of this machine always count as shared.
   */
  readonly shared: ReadonlySet<string>;
  readonly log: Log;
};

/**
 * Limits the number of connections. Above the limit, the connection idle for the longest time is closed. If all have
 * requests, the one with the oldest unread response is closed. The newest connection is never closed.
 */
export type ConnectionRoom = {
  admit(socket: Socket): void;
  /** Marks a connection as busy until its response is closed. */
  answering(request: IncomingMessage, response: ServerResponse): void;
};

type OpenConnection = { readonly place: string | null; asked: HttpExchange | null };

type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const TOLD_EVERY = 60_000; // milliseconds

export function createConnectionRoom({ most, mostOfAddress, shared, log }: RoomOptions): ConnectionRoom {
  /** Ordered by last use, oldest first. */
  const connections = new Map<Socket, OpenConnection>();
  const counts = new Map<string, number>();
  const tell = createTelling(log);
  const count = (place: string | null, by: 1 | -1): number => {
    if (place === null) return 0;
    const now = (counts.get(place) ?? 0) + by;
    if (now > 0) counts.set(place, now);
    else counts.delete(place);
    return now;
  };
  const forget = (socket: Socket): void => {
    const open = connections.get(socket);
    if (connections.delete(socket)) count(open?.place ?? null, -1);
  };
  const makeRoomFor = (newest: Socket, among: (open: OpenConnection) => boolean): void => {
    const others = [...connections].filter(([socket, open]) => socket !== newest && among(open));
    const [socket, open] = others.find(([, one]) => isIdle(one)) ?? others.find(([, one]) => isUnread(one)) ?? [];
    if (socket === undefined || open === undefined) return;
    tell(connections.size, open.place);
    forget(socket); // it closes later and must not be chosen again
    socket.destroy();
  };
  const used = (socket: Socket, asked: HttpExchange | null): void => {
    const open = connections.get(socket);
    if (open === undefined) return; // already closed
    open.asked = asked;
    connections.delete(socket);
    connections.set(socket, open);
  };
  return {
    admit(socket) {
      const place = clientNetwork(socket.remoteAddress ?? "", shared);
      connections.set(socket, { place, asked: null });
      socket.once("close", () => forget(socket));
      if (count(place, 1) > mostOfAddress) makeRoomFor(socket, (open) => open.place === place);
      else if (connections.size > most) makeRoomFor(socket, () => true);
    },
    answering(request, response) {
      used(request.socket, { request, response });
      response.once("close", () => used(request.socket, null));
    },
  };
}

/** A connection counts as idle while its request is incomplete. */
const isIdle = ({ asked }: OpenConnection): boolean => asked === null || !asked.request.complete;

/** The response is written, but not yet received. Responses of live pages never end. */
const isUnread = ({ asked }: OpenConnection): boolean => asked?.response.writableEnded === true;

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/**
 * Returns the key to count connections by: the address, or the /64 network of an IPv6 address, because clients have
 * many of these. Null for a shared address.
 */
export function clientNetwork(remote: string, shared: ReadonlySet<string>): string | null {
  const address = remote.replace(/^::ffff:(?=\d+\.)/, "");
  if (shared.has(address) || address === "::1" || address.startsWith("127.")) return null;
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, GROUPS_OF_NETWORK).join(":");
}

/** Logs at most one line per minute. */
function createTelling(log: Log): (connections: number, place: string | null) => void {
  let closed = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (connections, place) => {
    closed++;
    if (performance.now() - toldAt < TOLD_EVERY) return;
    log.warn(
      { connections, closed, address: place ?? "shared" },
      "closed connections that asked for nothing, to make room for others",
    );
    closed = 0;
    toldAt = performance.now();
  };
}
