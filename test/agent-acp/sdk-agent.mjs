#!/usr/bin/env node
// An agent made with the protocol's own library, which checks every message it gets against the protocol's schema.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const option = (kind) => ({ optionId: kind, kind, name: kind });
const opened = {
  modes: { currentModeId: "default", availableModes: ["default", "plan"].map((id) => ({ id, name: id })) },
};

agent({ name: "sample" })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "sdk-1", ...opened }))
  .onRequest(methods.agent.session.load, () => opened)
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const say = (text) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const toolCall = { toolCallId: "1", title: "Edit", kind: "edit", locations: [{ path: `${process.cwd()}/a.ts` }] };
    const options = [option("allow_once"), option("reject_once")];
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall,
      options,
    });
    await say(JSON.stringify({ status: "done", summary: `${sessionId} ${outcome.optionId}` }));
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
