import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll } from "vitest";

export type Mail = { readonly to: readonly string[]; readonly text: string };

/** A local mail server that stores mails and rejects recipients whose name starts with "no". */
export async function createMailbox(): Promise<{ readonly url: string; readonly mails: readonly Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo({ address }, _session, tell) {
      tell(address.startsWith("no") ? Object.assign(new Error("nobody here"), { responseCode: 550 }) : null);
    },
    onData(stream, { envelope }, tell) {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
      stream.on("end", () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
        tell();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo; // listens on a port
  return { url: `smtp://127.0.0.1:${port}`, mails };
}
