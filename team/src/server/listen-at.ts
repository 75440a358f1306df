import type { Server } from "node:http";
import { ProblemError } from "../../../src/core/problem.ts";

export type ListeningServer = { readonly port: number; close(): Promise<void> };

type ListenAddress = { readonly host: string; readonly port: number; readonly option: "port" | "metrics" };

/** @throws ProblemError CANNOT_LISTEN, which names the option to change */
export async function listenAt(http: Server, place: ListenAddress): Promise<ListeningServer> {
  try {
    await new Promise<void>((resolve, reject) => http.once("error", reject).listen(place.port, place.host, resolve));
  } catch (error) {
    throw cannotListen(error, place);
  }
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : place.port,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function cannotListen(error: unknown, { host, port, option }: ListenAddress): ProblemError {
  const isOfHost = error instanceof Error && "code" in error && OF_THE_HOST.has(String(error.code));
  const detail = error instanceof Error ? error.message : String(error);
  return new ProblemError({ code: "CANNOT_LISTEN", host, port, option: isOfHost ? "host" : option, detail });
}

/** The address belongs to another machine, or the name has none. */
const OF_THE_HOST: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"]);
