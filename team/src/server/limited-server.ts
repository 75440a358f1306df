import { createServer, type RequestListener, type Server } from "node:http";
import { createConnectionRoom, type RoomOptions } from "./connection-room.ts";

/** Milliseconds, and connections. */
export type ServerLimits = Pick<RoomOptions, "most" | "mostOfAddress"> & {
  readonly headersWithin: number;
  /** With its body. What is answered may take longer, as live pages do. */
  readonly requestWithin: number;
  readonly looksEvery: number;
  /** Between two requests of a connection. */
  readonly idleFor: number;
  /** Without a byte in either direction, while something is answered: more than a live page is silent. */
  readonly stillFor: number;
};

export const SERVER_LIMITS: ServerLimits = {
  headersWithin: 10_000,
  requestWithin: 60_000,
  looksEvery: 1000,
  idleFor: 5000,
  stillFor: 300_000,
  most: 1000,
  mostOfAddress: 200,
};

const MAX_HEADERS = 100;

export type ServerRoomOptions = Pick<RoomOptions, "shared" | "log"> & { readonly limits: ServerLimits };

/** A server that nobody can keep from answering others by being slow, silent or many. */
export function createLimitedServer(listener: RequestListener, { limits, shared, log }: ServerRoomOptions): Server {
  const { most, mostOfAddress } = limits;
  const room = createConnectionRoom({ most, mostOfAddress, shared, log });
  const timeouts = {
    headersTimeout: limits.headersWithin,
    requestTimeout: limits.requestWithin,
    connectionsCheckingInterval: limits.looksEvery,
    keepAliveTimeout: limits.idleFor,
  };
  const server = createServer(timeouts, (request, response) => {
    room.answering(request, response);
    listener(request, response);
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.timeout = limits.stillFor;
  return server.on("connection", (socket) => room.admit(socket));
}
