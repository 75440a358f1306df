import { connect, createServer, type Socket } from "node:net";

export type CuttingProxy = {
  /** Address of the database through the proxy. */
  readonly url: string;
  /**
   * Cuts every connection at the n-th message from now on: before the database gets it, or before its answer is
   * delivered.
   */
  cutAt(message: number, when: "before" | "after"): void;
  /** Messages since then, and true if the cut was made. */
  readonly seen: { messages: number; isCut: boolean };
  close(): Promise<void>;
};

/** Proxy between a program and its database that cuts the connection at a given message. */
export async function createCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const { port, hostname } = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  const open = new Set<Socket>();
  const seen = { messages: 0, isCut: false };
  let cut = { message: Number.POSITIVE_INFINITY, when: "before" as "before" | "after" };
  const cutAll = (): void => {
    seen.isCut = true;
    cut = { ...cut, message: Number.POSITIVE_INFINITY };
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    let isMuted = false;
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => (open.delete(socket), client.destroy(), database.destroy()));
    }
    client.on("data", (chunk) => {
      seen.messages++;
      if (seen.messages < cut.message) return void database.write(chunk);
      if (cut.when === "before") return cutAll();
      isMuted = true;
      return void database.write(chunk);
    });
    database.on("data", (chunk) => (isMuted ? cutAll() : void client.write(chunk)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.href,
    seen,
    cutAt(message, when) {
      seen.messages = 0;
      seen.isCut = false;
      cut = { message, when };
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
