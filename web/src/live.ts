import type { QueryClient } from "@tanstack/react-query";
import { sessionHeader } from "./api.ts";
import { apiBase } from "./served-by.ts";
import type { LiveMessage } from "../../src/schema/api-status.ts";

/** `refused`: a server responds but does not know this browser, for example after a restart. */
export type Connection = "connecting" | "live" | "lost" | "refused";
type Activity = Extract<LiveMessage, { is: "activity" }>;

const AGAIN_AFTER = 1000; // milliseconds
const listeners = { connection: new Set<(now: Connection) => void>(), activity: new Set<(said: Activity) => void>() };
let connection: Connection = "connecting";
let watched: string | null = null;
let current: AbortController | null = null;

const become = (now: Connection): void => {
  connection = now;
  for (const listener of listeners.connection) listener(now);
};

export const currentConnection = (): Connection => connection;

export function onConnection(listener: (now: Connection) => void): () => void {
  listeners.connection.add(listener);
  return () => listeners.connection.delete(listener);
}

export function onActivity(listener: (said: Activity) => void): () => void {
  listeners.activity.add(listener);
  return () => listeners.activity.delete(listener);
}

/** Also receives agent activity of this run. */
export function watchRun(run: string | null): void {
  if (watched === run) return;
  watched = run;
  current?.abort();
}

/** Follows the server while the page is open. After a lost connection, all data is requested again. */
export async function stayLive(client: QueryClient, onWaiting: (count: number) => void): Promise<never> {
  for (;;) {
    current = new AbortController();
    const { signal } = current;
    const ended = await listen(client, signal, onWaiting).catch(() => (signal.aborted ? "aborted" : "lost"));
    if (ended === "aborted") continue;
    become(ended);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
}

const NOT_CONNECTED: ReadonlySet<Connection> = new Set(["lost", "refused"]);

/** Resolves when the connection ends. `aborted`: to watch another run. */
async function listen(
  client: QueryClient,
  signal: AbortSignal,
  onWaiting: (count: number) => void,
): Promise<"aborted" | "lost" | "refused"> {
  const where = watched === null ? `${apiBase}/live` : `${apiBase}/live?run=${watched}`;
  const response = await fetch(where, { headers: sessionHeader(), signal });
  if (!response.ok || response.body === null) return response.status === 401 ? "refused" : "lost";
  const wasLost = NOT_CONNECTED.has(connection);
  become("live");
  if (wasLost) await client.invalidateQueries();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return signal.aborted ? "aborted" : "lost";
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts)
      if (part.startsWith("data: ")) hear(client, JSON.parse(part.slice("data: ".length)) as LiveMessage, onWaiting);
  }
}

function hear(client: QueryClient, message: LiveMessage, onWaiting: (count: number) => void): void {
  switch (message.is) {
    case "hello":
      return;
    case "changed":
      void client.invalidateQueries({ queryKey: ["runs"] });
      void client.invalidateQueries({ queryKey: ["run", message.run] });
      return;
    case "activity":
      for (const listener of listeners.activity) listener(message);
      return;
    case "waiting":
      onWaiting(message.count);
      return;
    default:
      message satisfies never;
  }
}
