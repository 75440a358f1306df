import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/cli.ts";
import { startPageServer } from "./page-server.ts";

const IDLE = 250; // Connections: more than the server keeps open.

test("answers a browser while another user holds idle connections [S6]", async () => {
  const { root, env } = await createSandbox();
  const server = await startPageServer({ root, env });
  const idle: Socket[] = [];
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  for (let count = 0; count < IDLE; count++) {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined); // The server may close it.
    idle.push(socket);
    await once(socket, "connect");
  }
  for (let asked = 0; asked < 3; asked++) expect(await server.get("/api/project")).toMatchObject({ status: 200 });
  expect(idle.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length).toBeLessThan(IDLE);
});
