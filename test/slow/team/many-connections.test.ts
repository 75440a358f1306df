import { connect, type Socket } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { SERVER_LIMITS } from "../../../team/src/server/limited-server.ts";
import { createPageClient } from "./support/page-client.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam } from "./support/team.ts";
import { beginRun, PATIENCE, untilEnded } from "./support/team-runs.ts";

/** A bare connection, an incomplete request, and a request with an incomplete body. */
const waysAt = ({ host, origin }: URL): readonly string[] => [
  "",
  "GET / HTTP/1.1\r\nHost: x\r\n",
  `POST /api/page/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
];

describe.runIf(hasPostgres)("server with more connections than its limit [S6]", () => {
  test("answers people and workers, keeps live pages updated and logs the limit", async () => {
    const team = await createTeam();
    const sockets = new Map<number, Socket>();
    afterAll(() => sockets.forEach((socket) => socket.destroy()));
    const { port } = new URL(team.url);
    const ways = waysAt(new URL(team.url));
    /** Opens each closed connection again after a second. */
    const hold = (place: number): void => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(ways[place % ways.length]!));
      socket
        .on("error", () => undefined)
        .on("close", () => sockets.get(place) === socket && setTimeout(hold, 1000, place).unref());
      sockets.set(place, socket);
    };
    const page = createPageClient(team.url);
    expect(await page.signIn(team.adas)).toMatchObject({ status: 200 });
    const live = await fetch(`${page.origin}/api/page/live`, { headers: { cookie: page.cookie() } });
    const told = reading(live);
    for (let place = 0; place < SERVER_LIMITS.most + 200; place++) hold(place);
    const logged = (): readonly string[] => team.first.said().split("\n");
    const isTold = (line: string): boolean => line.includes("closed connections that asked for nothing");
    await vi.waitFor(() => expect(logged().some(isTold)).toBe(true), PATIENCE);

    await team.worker("w1");
    const run = await beginRun(team);
    await untilEnded(team, run);

    await vi.waitFor(() => expect(told()).toContain(run), PATIENCE);
    expect(team.first.child.exitCode).toBeNull();
    expect(logged().filter((line) => line.includes('"level"') && !isTold(line))).toEqual([]);
  });
});

/** Returns the text of the stream so far. Throws if the stream was cut. */
function reading(response: Response): () => string {
  let text = "";
  let failure: unknown = null;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) text += decoder.decode(chunk as Uint8Array);
  };
  read().catch((error: unknown) => (failure = error));
  return () => {
    expect(failure).toBeNull();
    return text;
  };
}
