import type { Hono } from "hono";
import * as z from "zod/mini";
import { leftInTree } from "../../app/answer/left-in-tree.ts";
import { AnswerRequest, type AnswerResult, type LeftView } from "../../schema/api.ts";
import type { Env } from "./create-app.ts";
import { decideAnswer } from "./decide.ts";
import { personAt, requireOpener } from "./person.ts";
import { readRunEvents, type FoundRun } from "./repository.ts";
import type { ServerContext } from "./served.ts";
import { verifySignature } from "./signed-answer.ts";
import { readToldRun } from "./told-of.ts";
import { tellingWhoWasFirst } from "./who-was-first.ts";
import { type DraftList, SavedDraft } from "../../schema/comments.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodeFiles, readSmall, removeFile, replaceFile } from "../../adapters/files/file-system.ts";
import type { RunId } from "../../schema/ids.ts";

/** Adds the routes for a user's decisions about a run. */
export function addAnswerRoutes(app: Hono<Env>, served: ServerContext): void {
  const { repository, drivers, opener } = served;
  const drafts = createDraftFiles(repository.here.folders.state);
  app.post("/api/runs/:run/resume", async (context) => {
    const found = repository.find(context.req.param("run"));
    requireOpener(opener, "resume");
    drivers.continueRun(found, found.run.run.run);
    return context.json({
      run: await readToldRun(served, found),
      isDriving: true,
      warnings: [],
    } satisfies AnswerResult);
  });
  app.get("/api/runs/:run/left", async (context) => {
    const { project, run } = repository.find(context.req.param("run"));
    const paths = run.is === "active" ? await leftInTree(project, run) : [];
    return context.json({ paths: paths === null ? null : [...paths] } satisfies LeftView);
  });
  app.get("/api/runs/:run/drafts", (context) => {
    const { run } = repository.find(context.req.param("run"));
    return context.json({ drafts: drafts.read(run.run.run) } satisfies DraftList);
  });
  app.post("/api/runs/:run/drafts", async (context) => {
    const { run } = repository.find(context.req.param("run"));
    drafts.save(run.run.run, z.parse(SavedDraft, await context.req.json()));
    return context.json({});
  });
  app.post("/api/runs/:run/answer", async (context) => {
    const found = repository.find(context.req.param("run"));
    const request = z.parse(AnswerRequest, await context.req.json());
    return context.json(
      await tellingWhoWasFirst(
        () => readRunEvents(found),
        request.wait,
        () => answer(served, found, request),
      ),
    );
  });
}

async function answer(served: ServerContext, found: FoundRun, request: AnswerRequest): Promise<AnswerResult> {
  const { repository, drivers, opener } = served;
  const id = found.run.run.run;
  const signature = await verifySignature(served, found, request);
  const by = await personAt(found.project, opener, { state: found.run, isSigned: signature !== undefined });
  const { state, warnings } = await decideAnswer(found, request, { by, signature });
  const goesOn = state.is === "active" && state.wait === null;
  if (goesOn) drivers.continueRun(found, id);
  return { run: await readToldRun(served, repository.find(id)), isDriving: goesOn, warnings: [...warnings] };
}

const MAX_DRAFT_FILE_BYTES = 4 * 1024 * 1024;
const Drafts = z.record(z.string(), z.string());

/**
 * Unsent comments, one file per run in the user's state folder, to be available on other ports and in other browsers.
 */
type DraftFiles = {
  read(run: RunId): DraftList["drafts"];
  save(run: RunId, draft: SavedDraft): void;
};

function createDraftFiles(stateFolder: string): DraftFiles {
  const folder = join(stateFolder, "drafts");
  const pathOf = (run: RunId): string => join(folder, `${run}.json`);
  const read = (run: RunId): DraftList["drafts"] => {
    const bytes = readSmall(nodeFiles, pathOf(run), MAX_DRAFT_FILE_BYTES);
    return bytes === null ? {} : parseDrafts(bytes.toString("utf8"));
  };
  return {
    read,
    save(run, { wait, text }) {
      const { [wait]: _before, ...others } = read(run);
      const next = text === null ? others : { ...others, [wait]: text };
      if (Object.keys(next).length === 0) return removeFile(nodeFiles, pathOf(run));
      const bytes = Buffer.from(JSON.stringify(next));
      if (bytes.length > MAX_DRAFT_FILE_BYTES) return; // the browser still has them
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(nodeFiles, pathOf(run), bytes);
    },
  };
}

/** Returns no drafts for a damaged file: the browser that wrote them still has them. */
function parseDrafts(text: string): DraftList["drafts"] {
  try {
    return z.parse(Drafts, JSON.parse(text));
  } catch {
    return {};
  }
}
