import { connect, createServer, type Socket } from "node:net";

export type LineProxy = {
  /** The target's address through the proxy. */
  readonly url: string;
  /** Blocks all traffic. */
  cut(): void;
  restore(): void;
  /** Number of connections attempted while the line was cut. */
  turnedAway(): number;
  /** Cuts the connection instead of delivering a reply if `isLost` returns true for its number. */
  loseReplies(isLost: (reply: number) => boolean): void;
  /** Replies sent by the server since `loseReplies`, and those that were not delivered. */
  readonly replies: { readonly sent: number; readonly lost: number };
  close(): Promise<void>;
};

/** A network line between two programs that can be cut. */
export async function createLineProxy(target: string): Promise<LineProxy> {
  const { port, hostname } = new URL(target);
  const open = new Set<Socket>();
  const replies = { sent: 0, lost: 0 };
  let isCut = false;
  let turnedAway = 0;
  let isLost: ((reply: number) => boolean) | null = null;
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
    there.on("data", (chunk) => {
      if (isLost?.(replies.sent++) === true) {
        replies.lost++;
        client.destroy();
      } else client.write(chunk);
    });
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
    replies,
    cut,
    turnedAway: () => turnedAway,
    restore: () => void (isCut = false),
    loseReplies: (which) => void (isLost = which),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
