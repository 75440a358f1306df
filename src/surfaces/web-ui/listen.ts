import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

/** Only the user's own machine. */
const LOOPBACK = ["127.0.0.1", "::1"] as const;

const HEADERS_WITHIN = 5_000; // milliseconds, like the next three
const REQUEST_WITHIN = 10_000;
const IDLE_POLL_INTERVAL_MS = 1_000;
const IDLE_FOR = 5_000;
const MAX_CONNECTIONS = 100;

export type ListeningServer = { readonly port: number; close(): Promise<void> };

/** Listens on the requested port. If a default port is taken, uses any free port. */
export async function listen(
  handle: RequestListener,
  wanted: { port: number; isFixed: boolean },
): Promise<ListeningServer> {
  try {
    return await listenAt(handle, wanted.port);
  } catch (error) {
    if (wanted.isFixed || !isTaken(error)) throw error;
    return listenAt(handle, 0);
  }
}

/** Listens on both loopback addresses at one port. Without IPv6, the IPv4 address is enough. */
async function listenAt(handle: RequestListener, port: number): Promise<ListeningServer> {
  const [v4, v6] = LOOPBACK;
  const first = await listening(handle, { host: v4, port });
  const address = first.address();
  const taken = address === null || typeof address === "string" ? port : address.port;
  const second = await listening(handle, { host: v6, port: taken }).catch((error: unknown) => {
    if (!isTaken(error)) return null;
    first.close();
    throw error;
  });
  const servers = second === null ? [first] : [first, second];
  return { port: taken, close: async () => void (await Promise.all(servers.map(closed))) };
}

function listening(handle: RequestListener, place: { host: string; port: number }): Promise<Server> {
  const server = createServer(
    {
      headersTimeout: HEADERS_WITHIN,
      requestTimeout: REQUEST_WITHIN,
      connectionsCheckingInterval: IDLE_POLL_INTERVAL_MS,
      keepAliveTimeout: IDLE_FOR,
    },
    handle,
  );
  limitConnections(server);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, () => resolve(server));
  });
}

const withSession = new WeakSet<Socket>();

/** Protects the connection of a browser with a session: connections of others never replace it. */
export const keepConnection = (socket: Socket): void => void withSession.add(socket);

/**
 * Limits connections, because other users of this machine can connect, too. Beyond the limit, the oldest connection
 * without a session is closed.
 */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (open.size <= MAX_CONNECTIONS) return;
    const oldest = [...open].find((one) => !withSession.has(one)) ?? socket;
    open.delete(oldest);
    oldest.destroy();
  });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES");
