import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { discardIdleLocks } from "../../adapters/journal/file-lock.ts";
import { version } from "../../compose/version.ts";
import { refusedResult, sessionTools } from "./session-tools.ts";
import type { ServedHost, Tool, ToolResult } from "./tool.ts";
import { createTypedTool } from "./typed-commands.ts";
import { SESSION_PROMPTS } from "../../core/session-prompts.ts";
import { artifactPath } from "../../core/plan.ts";
import type { ActiveRun, EndedRun } from "../../core/run.ts";
import { isSafeName } from "../../schema/ids.ts";
import { historyLines } from "../../views/history.ts";
import { summaryPath } from "../../views/status.ts";
import type { Project } from "../../app/project/project.ts";
import { lookAtEvents } from "../../app/inspect/look-at-history.ts";
import { currentRun } from "../../app/project/current-run.ts";
import { openProject } from "../../compose/project.ts";
import { lookAtRun } from "../../app/inspect/look-at-gate.ts";

const INSTRUCTIONS =
  'isdlc takes this project through phases with gates between them. Call "begin" for the current task, work on it, then call "report" with the nonce you were given. Gates are answered by the person only, never by a tool.';

/** Creates the server of one session, with tools, resources and prompts. It makes no decisions itself. */
export function createServer(host: ServedHost): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const server = new Server({ name: "isdlc", version }, { capabilities, instructions: INSTRUCTIONS });
  const tools: readonly Tool[] = [...sessionTools, createTypedTool(host)];

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`);
    const meta = { ...params._meta };
    const progress = createProgress(meta["progressToken"], (notification) => void extra.sendNotification(notification));
    const call = { host, input: params.arguments ?? {}, meta, signal: extra.signal, progress };
    try {
      return toolAnswer(await tool.call(call));
    } catch (error) {
      return toolAnswer(refusedResult(error));
    } finally {
      discardIdleLocks(); // every call opens the project again
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const found = await readResource(host, uri);
    if (found === null) throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}`);
    return { contents: [{ uri, ...found }] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: SESSION_PROMPTS.map(({ name, title, description }) => ({ name, title, description })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name } }) => {
    const prompt = SESSION_PROMPTS.find((one) => one.name === name);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name}`);
    const content = { type: "text" as const, text: prompt.text };
    return { description: prompt.description, messages: [{ role: "user" as const, content }] };
  });
  return server;
}

const described = ({ name, title, description, schema, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: z.toJSONSchema(schema, { io: "input" }) as { type: "object" }, // every tool takes an object
  annotations: { title, ...annotations },
});

/**
 * Puts the data next to the text: if a result contains both, hosts show models only the data, which is for programs.
 */
const toolAnswer = ({ text, data, isError }: ToolResult) => ({
  content: [{ type: "text" as const, text }],
  _meta: { "isdlc/data": data },
  ...(isError === undefined ? {} : { isError }),
});

const BETWEEN_NOTICES = 500; // milliseconds

type Notice = {
  method: "notifications/progress";
  params: { progressToken: string | number; progress: number; message: string };
};

/** Sends progress to a caller that requested it, at a readable rate. */
function createProgress(token: unknown, send: (notice: Notice) => void): (message: string) => void {
  if (typeof token !== "string" && typeof token !== "number") return () => undefined;
  let last = -BETWEEN_NOTICES;
  let progress = 0;
  return (message) => {
    const now = performance.now();
    if (now - last < BETWEEN_NOTICES) return;
    last = now;
    send({ method: "notifications/progress", params: { progressToken: token, progress: ++progress, message } });
  };
}

const resources = [
  { uri: "isdlc://status", name: "status", title: "Status of the run", mimeType: "application/json" },
  { uri: "isdlc://summary", name: "summary", title: "Summary at the open gate", mimeType: "text/markdown" },
  { uri: "isdlc://history", name: "history", title: "History of this run", mimeType: "text/plain" },
] as const;

const resourceTemplates = [
  {
    uriTemplate: "isdlc://document/{name}",
    name: "document",
    title: "A document of the current item, by its file name",
    mimeType: "text/markdown",
  },
] as const;

type Contents = { readonly mimeType: string; readonly text: string };

/** Reads a resource; null if it does not exist. */
async function readResource(host: ServedHost, uri: string): Promise<Contents | null> {
  const project = openProject(host.cwd, host.env);
  const { state, run } = await currentRun(project);
  if (uri === "isdlc://status") {
    const { view } = await lookAtRun(project, state);
    return { mimeType: "application/json", text: JSON.stringify(view) };
  }
  if (run === null || state.is === "none") return null;
  if (uri === "isdlc://history")
    return { mimeType: "text/plain", text: historyLines((await lookAtEvents(project, run)).events).join("\n") };
  return markdown(project, uri === "isdlc://summary" ? readSummary(state) : readDocument(state, uri));
}

function readSummary(run: ActiveRun | EndedRun): string | null {
  return run.is === "active" && run.wait?.kind === "gate" ? summaryPath(run) : null;
}

function readDocument({ run }: ActiveRun | EndedRun, uri: string): string | null {
  const name = /^isdlc:\/\/document\/([^/]+)$/.exec(uri)?.[1] ?? "";
  return isSafeName(name) ? artifactPath(run.item, name) : null;
}

function markdown({ projections }: Project, path: string | null): Contents | null {
  const text = path === null ? null : projections.readArtifact(path);
  return text === null ? null : { mimeType: "text/markdown", text };
}
