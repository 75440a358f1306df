import { expect, test } from "vitest";
import { AcpError, createAcpConnection } from "../../src/adapters/agents/acp/connection.ts";

const asConnection = (more: Partial<Parameters<typeof createAcpConnection>[0]>) => {
  const sent: string[] = [];
  const options = { onRequest: () => ({}), onNotification: () => undefined, ...more };
  return { sent, connection: createAcpConnection({ send: (text) => void sent.push(text), ...options }) };
};
const bursts = (): never => {
  throw new RangeError("Maximum call stack size exceeded");
};

test.each([
  ["a notification", { onNotification: bursts }, '{"method":"session/update"}'],
  ["a request", { onRequest: bursts }, '{"id":"q","method":"session/request_permission"}'],
])("ends the conversation with an error if %s cannot be processed [R9]", async (_, more, text) => {
  const { connection } = asConnection(more);
  const waiting = connection.request("session/prompt", {});
  connection.receive({ text, cut: false });
  await expect(waiting).rejects.toThrow(AcpError);
  await expect(waiting).rejects.toThrow("cannot be processed");
  await expect(connection.request("session/prompt", {})).rejects.toThrow(AcpError);
});

test("answers a refused request and continues the conversation", async () => {
  const onRequest = (): never => {
    throw new AcpError(-32601, "not here");
  };
  const { connection, sent } = asConnection({ onRequest });
  const waiting = connection.request("session/prompt", {});
  connection.receive({ text: '{"id":"q","method":"fs/read"}', cut: false });
  connection.receive({ text: '{"id":1,"result":"done"}', cut: false });
  expect(await waiting).toBe("done");
  expect(JSON.parse(sent[1] ?? "")).toMatchObject({ id: "q", error: { code: -32601, message: "not here" } });
});
