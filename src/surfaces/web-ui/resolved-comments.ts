import type { Hono } from "hono";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { nodeFiles, readSmall, replaceFile } from "../../adapters/files/file-system.ts";
import { ResolvedChange, ResolvedComments } from "../../schema/comments.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Env } from "./create-app.ts";
import type { ServerContext } from "./served.ts";

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Adds the routes for comments marked as resolved: one file per run in the user's state folder, for all browsers of
 * this user.
 */
export function addResolvedRoutes(app: Hono<Env>, { repository }: ServerContext): void {
  const folder = join(repository.here.folders.state, "resolved");
  const pathOf = (run: RunId): string => join(folder, `${run}.json`);
  const read = (run: RunId): ResolvedComments => {
    const bytes = readSmall(nodeFiles, pathOf(run), MAX_FILE_BYTES);
    return bytes === null ? { resolved: {} } : parseComments(bytes.toString("utf8"));
  };
  app.get("/api/runs/:run/resolved", (context) =>
    context.json(read(repository.find(context.req.param("run")).run.run.run)),
  );
  app.post("/api/runs/:run/resolved", async (context) => {
    const { run } = repository.find(context.req.param("run")).run.run;
    const after = withChange(read(run), z.parse(ResolvedChange, await context.req.json()));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceFile(nodeFiles, pathOf(run), Buffer.from(JSON.stringify(after)));
    return context.json(after);
  });
}

function withChange({ resolved }: ResolvedComments, { phase, comment, isResolved }: ResolvedChange): ResolvedComments {
  const others = (resolved[phase] ?? []).filter((id) => id !== comment);
  return { resolved: { ...resolved, [phase]: isResolved ? [...others, comment] : others } };
}

/** Returns no comments for a damaged file: they are then shown again. */
function parseComments(text: string): ResolvedComments {
  try {
    return z.parse(ResolvedComments, JSON.parse(text));
  } catch {
    return { resolved: {} };
  }
}
