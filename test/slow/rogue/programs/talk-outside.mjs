// Talks to a program of the user outside of the sandbox, through an abstract socket and a local port.
import { writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname } from "node:path";
import { evidence, note, play } from "./rogue.mjs";

const path = `\0${dirname(evidence)}`;
const port = Number(process.env.ROGUE_PORT);

const connect = (to) =>
  new Promise((resolve) => {
    const connection = createConnection(to, () => connection.end("planted"));
    connection.on("error", ({ code }) => resolve(code)).on("close", () => resolve("connected"));
  });

await play({
  async talk({ role }) {
    note("talked", { role, said: await connect({ path }), local: await connect({ host: "127.0.0.1", port }) });
  },
  test({ phase }) {
    if (phase !== "implement") return;
    const client = `import { createConnection } from "node:net";
      await new Promise((resolve) => {
        const connection = createConnection({ path: ${JSON.stringify(path)} }, () => connection.end("planted"));
        connection.on("error", resolve).on("close", resolve);
      });`;
    writeFileSync("test/answer.test.mjs", client);
    note("written");
  },
});
