import { connect, createServer, type Socket } from "node:net";

export type LineProxy = {
  /** The target's address through the proxy. */
  readonly url: string;
  /** Blocks all traffic. */
  cut(): void;
  restore(): void;
  /** Number of connections attempted while the line was cut. */
  turnedAway(): number;
  close(): Promise<void>;
};

/** A network line between two programs that can be cut. */
export async function createLineProxy(target: string): Promise<LineProxy> {
  const { port, hostname } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  let turnedAway = 0;
  const server = createServer((client) => {
    if (!isCut) return join(client);
    turnedAway++;
    client.destroy();
  });
  function join(client: Socket): void {
    const there = connect(Number(port), hostname);
    for (const socket of [client, there]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => (open.delete(socket), client.destroy(), there.destroy()));
    }
    client.pipe(there);
    there.pipe(client);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    turnedAway: () => turnedAway,
    restore: () => void (isCut = false),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
