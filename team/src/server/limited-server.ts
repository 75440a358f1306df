import { createServer, type RequestListener, type Server } from "node:http";
import { createConnectionRoom, type RoomOptions } from "./connection-room.ts";

/** Limits in milliseconds and connections. */
export type ServerLimits = Pick<RoomOptions, "most" | "mostOfAddress"> & {
  readonly headersWithin: number;
  /** To receive a request with its body. The response may take longer, as on live pages. */
  readonly requestWithin: number;
  readonly looksEvery: number;
  /** Between two requests on a connection. */
  readonly idleFor: number;
  /** Silence in both directions during a response. Longer than the pauses of a live page. */
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

/** Creates a server that stays available despite slow, silent or numerous clients. */
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
