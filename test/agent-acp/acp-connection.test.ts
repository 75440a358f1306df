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
  ["news", { onNotification: bursts }, '{"method":"session/update"}'],
  ["a question", { onRequest: bursts }, '{"id":"q","method":"session/request_permission"}'],
])("R9 %s that cannot be worked with ends the conversation, and nothing is thrown", async (_, more, text) => {
  const { connection } = asConnection(more);
  const waiting = connection.request("session/prompt", {});
  connection.receive({ text, cut: false });
  await expect(waiting).rejects.toThrow(AcpError);
  await expect(waiting).rejects.toThrow("cannot be processed");
  await expect(connection.request("session/prompt", {})).rejects.toThrow(AcpError);
});

test("what is refused to the agent is its answer, and the conversation goes on", async () => {
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
