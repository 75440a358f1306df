import type { Context, Hono } from "hono";
import { FileSide } from "../../../src/schema/api-documents.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { noRun } from "../../../src/core/run.ts";
import {
  readRunDetail,
  readDiffView,
  readDocumentView,
  readGateView,
  readWholeFile,
  type RunSource,
} from "../../../src/surfaces/web-ui/look-at-run.ts";
import { tellingWhoWasFirst } from "../../../src/surfaces/web-ui/who-was-first.ts";
import { DiffAgainst } from "../../../src/schema/api-diff.ts";
import {
  AnswerRequest,
  type AnswerResult,
  type LeftView,
  type RunDetail,
  type RunRow,
  type AnswerOption,
} from "../../../src/schema/api.ts";
import type { StatementOffer } from "../../../src/schema/api-passkey.ts";
import type { LeftBranch } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { leftBranchLines } from "../../../src/views/left-branch.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { decisionChallengeFor, verifySignature } from "../passkeys/sign-decision.ts";
import { needRun, type RunAccess } from "../people/roles.ts";
import { answerRun } from "../server/answer-run.ts";
import { parseRunId, type TeamEnv } from "../server/team-server.ts";
import { listForPage, toMoved, repositoryPlace, listedRun } from "./page-list.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";
import type { ActivityView } from "../../../src/schema/api-status.ts";
import { signedFacts } from "../../../src/core/attestation/signed-decision.ts";
import { buildStory } from "../../../src/views/page/timeline.ts";
import type { Pool } from "pg";
import type { Choice, StartRequest } from "../../../src/schema/api-project.ts";

const MAX_SEARCHED = 200; // characters

/** Adds routes for runs in all repositories where the user has a role. */
export function addPageRuns(app: Hono<TeamEnv>, page: TeamPage): void {
  const { pool } = page.server;
  app.get(`${PAGE_API}/runs`, async (context) => {
    const { before = null, search = "" } = context.req.query();
    const person = context.get("principal").id;
    return context.json(await listForPage(pool, { person, before, search: search.slice(0, MAX_SEARCHED) }));
  });
  app.get(`${PAGE_API}/runs/:run`, async (context) => context.json(await detailAt(page, context)));
  app.get(`${PAGE_API}/runs/:run/gate`, async (context) => {
    const { source } = await seen(page, context);
    const known = context.req.query("known") ?? null;
    return context.json(await tellingWhoWasFirst(source.events, known, () => readGateView(source, known)));
  });
  app.get(`${PAGE_API}/runs/:run/story`, async (context) => {
    const { source } = await seen(page, context);
    const from = Number(context.req.query("from") ?? "0");
    return context.json(buildStory(await source.events(), Number.isSafeInteger(from) ? from : 0));
  });
  app.get(`${PAGE_API}/runs/:run/diff`, async (context) => {
    const against = DiffAgainst.parse(context.req.query("against") ?? "base");
    return context.json(await readDiffView((await seen(page, context)).source, against));
  });
  app.get(`${PAGE_API}/runs/:run/document`, async (context) =>
    context.json(await readDocumentView((await seen(page, context)).source, context.req.query("path") ?? "")),
  );
  app.get(`${PAGE_API}/runs/:run/file`, async (context) => {
    const { path = "", side } = context.req.query();
    return context.json(await readWholeFile((await seen(page, context)).source, path, FileSide.parse(side ?? "new")));
  });
  app.get(`${PAGE_API}/runs/:run/activity`, async (context) => {
    const { run } = await seen(page, context);
    const { rows } = await pool.query<ExecutionOutput>(
      "select execution, lines from isdlc.activity where run = $1 order by number",
      [run],
    );
    return context.json(visibleView(byExecution(rows)));
  });
  app.get(`${PAGE_API}/runs/:run/left`, (context) => context.json({ paths: null } satisfies LeftView));
  app.get(`${PAGE_API}/runs/:run/statement`, (context) => context.json({ isOffered: false } satisfies StatementOffer));
  addPageAnswers(app, page);
}

/** Adds routes for decisions by a user, signed with a passkey if required. */
function addPageAnswers(app: Hono<TeamEnv>, page: TeamPage): void {
  const { journal } = page.server;
  const decisionFacts = async (run: RunId) => signedFacts(run, (await journal.events(run)).reduce(evolve, noRun));
  app.post(`${PAGE_API}/runs/:run/challenge`, async (context) => {
    const { run } = await reviewed(page, context);
    const decision = AnswerRequest.parse(await context.req.json());
    const facts = await decisionFacts(run);
    return context.json(await decisionChallengeFor(page, { facts, person: context.get("principal").id, decision }));
  });
  app.post(`${PAGE_API}/runs/:run/answer`, async (context) => {
    const { run, access } = await reviewed(page, context);
    const request = AnswerRequest.parse(await context.req.json());
    const person = context.get("principal").id;
    const facts = await decisionFacts(run);
    const signature = await verifySignature(page, { facts, person, decision: request });
    const by = { name: person, channel: signature === undefined ? "dashboard" : "passkey" } as const;
    const events = (): ReturnType<RunSource["events"]> => journal.events(run);
    await tellingWhoWasFirst(events, request.wait, () =>
      answerRun(page.server, run, { by, access, request, signature }),
    );
    const detail = await detailAt(page, context);
    const isDriving = detail.row.status === "running";
    return context.json({ run: detail, isDriving, warnings: [] } satisfies AnswerResult);
  });
}

/** Returns a run that the user may answer, started or not. */
async function reviewed({ server: { pool } }: TeamPage, context: Context<TeamEnv>) {
  const run = parseRunId(context.req.param("run") ?? "");
  return { run, access: await needRun(pool, context.get("principal"), { run, role: "reviewer" }) };
}

async function detailAt(page: TeamPage, context: Context<TeamEnv>): Promise<RunDetail> {
  const { pool } = page.server;
  const principal = context.get("principal");
  const run = parseRunId(context.req.param("run") ?? "");
  await needRun(pool, principal, { run, role: "viewer" });
  const { rows } = await pool.query<{ head_seq: number }>("select head_seq from isdlc.run where run = $1", [run]);
  return rows[0]?.head_seq === 0 ? askedRun(pool, principal.id, run) : told(await seen(page, context));
}

type VisibleRun = {
  readonly run: RunId;
  readonly access: RunAccess;
  readonly source: RunSource;
  readonly moved: Pick<RunRow, "movedTo">;
  readonly leftBranch: LeftBranch | null;
};

/** Returns the requested run. @throws ProblemError NO_RUN if it is hidden from this user or has not started yet */
async function seen(page: TeamPage, context: Context<TeamEnv>): Promise<VisibleRun> {
  const { trees, server } = page;
  const { pool, journal } = server;
  const run = parseRunId(context.req.param("run") ?? "");
  const access = await needRun(pool, context.get("principal"), { run, role: "viewer" });
  const { state } = await journal.load(run);
  if (state.is === "none") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const { rows } = await pool.query<RunRecord>(
    "select remote, moved_to, moved_by, left_branch from isdlc.run join isdlc.repository on name = repository where run = $1",
    [run],
  );
  const { remote, left_branch: leftBranch, ...moved } = rows[0] ?? UNKNOWN;
  const pushed = { run, remote };
  const source: RunSource = {
    run: state,
    events: () => journal.events(run),
    file: (path, tree) => (tree === null ? Promise.resolve(null) : trees.file(pushed, path, tree)),
    patch: (from, to) => trees.patch(pushed, from, to),
    texts: (tree, paths) => trees.texts(pushed, tree, paths),
  };
  return { run, access, source, moved: toMoved(moved), leftBranch };
}

type RunRecord = {
  readonly remote: string;
  readonly moved_to: string | null;
  readonly moved_by: string | null;
  readonly left_branch: LeftBranch | null;
};

const UNKNOWN: RunRecord = { remote: "", moved_to: null, moved_by: null, left_branch: null };

/** A run waiting for a worker counts as driven: no user has to resume it. */
async function told({ source, access, moved, leftBranch }: VisibleRun): Promise<RunDetail> {
  const begun = await readRunDetail(source, { place: repositoryPlace(access.repository), isDriven: true });
  const left = leftBranchLines(leftBranch);
  const detail = left.length === 0 ? begun : { ...begun, warnings: [...begun.warnings, left.join(". ")] };
  if (moved.movedTo === undefined) return detail;
  return visibleView({ ...detail, row: { ...detail.row, ...moved, wait: null }, wait: null, actions: [], backTo: [] });
}

type ExecutionOutput = { readonly execution: string; readonly lines: readonly string[] };

function byExecution(said: readonly ExecutionOutput[]): ActivityView {
  const found = new Map<string, string[]>();
  for (const { execution, lines } of said) found.set(execution, [...(found.get(execution) ?? []), ...lines]);
  return { executions: [...found].map(([name, lines]) => ({ name, lines, isCut: false })) };
}

type RunRequestRow = { readonly start: StartRequest; readonly choices: Choice[] };

const CANCEL: AnswerOption = {
  option: "cancel",
  label: "Cancel",
  effect: "Ends the run before a worker starts it.",
  tone: "danger",
  needs: "reason",
};

/** Returns a requested run that has not started: no worker was free, or a choice must be made first. */
async function askedRun(pool: Pool, person: string, run: RunId): Promise<RunDetail> {
  const row = await listedRun(pool, person, run);
  const { rows } = await pool.query<RunRequestRow>("select start, choices from isdlc.run where run = $1", [run]);
  const [asked] = rows;
  if (row === null || asked === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const { mode = "standard", isSupervised } = asked.start;
  const nobody = { agent: "", reviewer: null, isSandboxed: null };
  const actions = row.notBegun === undefined ? [CANCEL] : [];
  const nothing = { phases: [], timeline: [], wait: null, actions, backTo: [], end: null, warnings: [], seq: 0 };
  return visibleView({ row, mode, isSupervised, ...nobody, ...nothing, asked });
}
