import { artifactPath } from "../../core/plan.ts";
import type { ActiveRun, EndedRun } from "../../core/run.ts";
import { isSafeName } from "../../schema/ids.ts";
import { historyLines } from "../../views/history.ts";
import { summaryPath } from "../../views/status.ts";
import type { Project } from "../../app/project/project.ts";
import { lookAtEvents } from "../../app/look/look-at-history.ts";
import { lookAtRun } from "../../app/look/look-at-run.ts";
import { currentRun } from "../../app/project/current-run.ts";
import { openProject } from "../../compose/project.ts";
import type { ServedHost } from "./tool.ts";

export const resources = [
  { uri: "isdlc://status", name: "status", title: "Where the run stands", mimeType: "application/json" },
  { uri: "isdlc://summary", name: "summary", title: "Summary at the open gate", mimeType: "text/markdown" },
  { uri: "isdlc://history", name: "history", title: "What happened in this run", mimeType: "text/plain" },
] as const;

export const resourceTemplates = [
  {
    uriTemplate: "isdlc://document/{name}",
    name: "document",
    title: "A document of the current item, by its file name",
    mimeType: "text/markdown",
  },
] as const;

type Contents = { readonly mimeType: string; readonly text: string };

/** Reads a resource; null if it does not exist. */
export async function readResource(host: ServedHost, uri: string): Promise<Contents | null> {
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
