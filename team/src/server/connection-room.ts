import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Log } from "../structured-log.ts";

export type RoomOptions = {
  /** Connections at a time. */
  readonly most: number;
  /** From one address, where it is not shared. */
  readonly mostOfAddress: number;
  /** Addresses behind which there are many: of proxies and gateways. Those of this machine are, too. */
  readonly shared: ReadonlySet<string>;
  readonly log: Log;
};

/**
 * How many may be connected. Where there are more, the one that has asked for nothing for the longest time is closed; where
 * all have asked, the one that has left its answer unread for the longest time. Never who just came.
 */
export type ConnectionRoom = {
  admit(socket: Socket): void;
  /** Its connection is not closed for others while it is answered. */
  answering(request: IncomingMessage, response: ServerResponse): void;
};

type OpenConnection = { readonly place: string | null; asked: HttpExchange | null };

type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const TOLD_EVERY = 60_000; // milliseconds

export function createConnectionRoom({ most, mostOfAddress, shared, log }: RoomOptions): ConnectionRoom {
  /** The one that was used longest ago comes first. */
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
    forget(socket); // it closes later, and is not to be chosen again
    socket.destroy();
  };
  const used = (socket: Socket, asked: HttpExchange | null): void => {
    const open = connections.get(socket);
    if (open === undefined) return; // closed meanwhile
    open.asked = asked;
    connections.delete(socket);
    connections.set(socket, open);
  };
  return {
    admit(socket) {
      const place = networkOf(socket.remoteAddress ?? "", shared);
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

/** A request that is still being sent keeps nobody else out. */
const isIdle = ({ asked }: OpenConnection): boolean => asked === null || !asked.request.complete;

/** Answered to the end, and not taken yet. The answer to a live page has no end. */
const isUnread = ({ asked }: OpenConnection): boolean => asked?.response.writableEnded === true;

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** What counts as one: an address, or the network of one of IPv6, of which everybody has many. Null for a shared one. */
export function networkOf(remote: string, shared: ReadonlySet<string>): string | null {
  const address = remote.replace(/^::ffff:(?=\d+\.)/, "");
  if (shared.has(address) || address === "::1" || address.startsWith("127.")) return null;
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, GROUPS_OF_NETWORK).join(":");
}

/** One line a minute, however many are closed. */
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
