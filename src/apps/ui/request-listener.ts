import type { RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { createApp } from "./create-app.ts";
import { localOrigins, commonHeaders, type RequestRefusal, findRefusal } from "./guard.ts";

/** Checks the source of a request before any other code sees it: even its URL may be malformed. */
export function createListener(app: ReturnType<typeof createApp>, port: () => number): RequestListener {
  const answer = getRequestListener(app.fetch);
  return (request, response) => {
    const { method = "", url = "", headers } = request;
    const refusal = findRefusal({ method, path: url.split("?", 1)[0] ?? "", headers }, localOrigins(port()));
    if (refusal === null) void answer(request, response);
    else refuse(response, refusal);
  };
}

function refuse(response: ServerResponse, { status, what }: RequestRefusal): void {
  response.writeHead(status, { ...commonHeaders, "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify({ problem: { code: "REFUSED", what, fix: "" } }));
}
