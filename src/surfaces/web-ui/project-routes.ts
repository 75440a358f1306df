import { basename, join } from "node:path";
import type { Hono } from "hono";
import * as z from "zod/mini";
import { lookAtItems } from "../../app/inspect/look-at-items.ts";
import { visibleView } from "../../views/page/visible-view.ts";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import {
  type ItemList,
  type ProjectView,
  type SettingList,
  SettingRequest,
  StartRequest,
  type StartResult,
  type ChartsView,
} from "../../schema/api-project.ts";
import { changeSetting, effectiveSettings } from "../../app/settings/change-setting.ts";
import type { Env } from "./create-app.ts";
import { personAt, requireOpener, whyReadOnly } from "./person.ts";
import type { ServerContext } from "./served.ts";
import { shippedWorkflows } from "./shipped-workflows.ts";
import { start } from "./start.ts";
import { seeItems } from "../../compose/see-project.ts";
import type { RunId } from "../../schema/ids.ts";
import { toCharts, readFigures, type RunFigures } from "../../views/page/charts.ts";
import type { LocatedProject, ServedRepository } from "./repository.ts";

/** Adds the routes for the project: settings, items, charts, and starting a run. */
export function addProjectRoutes(app: Hono<Env>, served: ServerContext): void {
  app.get("/api/project", (context) => context.json(projectView(served)));
  const charts = createCharts(served.repository);
  app.get("/api/charts", (context) => context.json(charts()));
  app.get("/api/settings", (context) => context.json(settingList(served)));
  app.post("/api/settings", async (context) => {
    const { here } = served.repository;
    const { key, value } = z.parse(SettingRequest, await context.req.json());
    await personAt(here, served.opener);
    if (TERMINAL_ONLY.test(key)) throw new ProblemError({ code: "NEEDS_PERSON", verb: `config set ${key}` });
    const warning = changeSetting(here, { key, value, scope: "user" });
    return context.json({ ...settingList(served), warnings: warning === null ? [] : [warning] });
  });
  app.post("/api/start", async (context) => {
    const { repository, opener } = served;
    const request = z.parse(StartRequest, await context.req.json());
    requireOpener(opener, "start");
    const started = await start(repository, request);
    if (started.is === "refused") return context.json({ problem: started.problem }, 409);
    const choice = started.is === "asks" ? started.choice : null;
    return context.json({ run: started.is === "started" ? started.run : null, choice } satisfies StartResult);
  });
  app.get("/api/items", async (context) =>
    context.json(visibleView(await lookAtItems(seeItems(served.repository.here))) satisfies ItemList),
  );
}

/**
 * Settings that decide who may answer and which programs run. They can be changed only in a terminal, where only a
 * person can type.
 */
const TERMINAL_ONLY = /^(?:approvals$|sandbox|webhook|tests$|(?:agent|reviewer)-command$)/;

function settingList({ repository: { here } }: ServerContext): SettingList {
  const files = { project: join(here.root, OWN_FOLDER, OWN.state), user: here.settings.file };
  const settings = effectiveSettings(here).map(({ key, value, from, text, valid }) => {
    const home = key.startsWith("supervised-mode.") ? ("project" as const) : ("user" as const);
    const told = value === null ? null : text;
    const isChangeable = !TERMINAL_ONLY.test(key) && from !== "here";
    return { key, value: told, from, file: files[home], valid, isChangeable };
  });
  return { settings };
}

function projectView({ repository: { here }, version, opener }: ServerContext): ProjectView {
  const { settings } = here.settings.read();
  return {
    name: basename(here.root),
    root: here.root,
    version,
    person: opener.name,
    approvals: [...(settings.approvals ?? [])],
    readOnly: whyReadOnly(here, opener),
    workflows: shippedWorkflows(),
    repositories: [],
  };
}

/** Maximum number of runs in the charts: the newest ones. */
const MAX_RUNS_PER_PAGE = 100;

/** Creates charts of ended runs. Values of each run are cached, because an ended run does not change. */
function createCharts(repository: ServedRepository): () => ChartsView {
  const known = new Map<RunId, RunFigures | null>();
  return () => {
    const ids = repository
      .places()
      .flatMap((located) => located.project.projections.endedRuns().map((id) => ({ id, located })))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .slice(-MAX_RUNS_PER_PAGE);
    for (const { id, located } of ids) if (!known.has(id)) known.set(id, figures(located, id));
    return toCharts(ids.flatMap(({ id }) => known.get(id) ?? []));
  };
}

/** Returns null for an unreadable journal. Lists report the problem. */
function figures({ project }: LocatedProject, id: RunId): RunFigures | null {
  try {
    const { state } = project.journal.load(id);
    return state.is === "ended" ? readFigures(state, project.journal.events(id)) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
