import { toldChoices } from "../../../src/surfaces/cli/grammar/choice.ts";
import { findVerb } from "../../../src/surfaces/cli/grammar/catalog.ts";
import { runRequest } from "../../../src/surfaces/cli/grammar/run-request.ts";
import type { Values, Verb } from "../../../src/surfaces/cli/invocation/verb.ts";
import type { Choice } from "../../../src/app/choice.ts";
import { openRun } from "../../../src/app/start/open-run.ts";
import { switchOn } from "../../../src/app/start/plan-supervision.ts";
import { planRun } from "../../../src/app/start/plan-run.ts";
import type { ServerClient } from "../../../src/adapters/remote/server-client.ts";
import { type PlacedProject, projectWith } from "../../../src/compose/project.ts";
import type { Command } from "../../../src/core/command.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import { next } from "../../../src/core/next.ts";
import type { RunState } from "../../../src/core/run.ts";
import { drive } from "../../../src/engine/loop/drive.ts";
import { noProgress } from "../../../src/ports/progress.ts";
import { type GivenBack, keptRef, type Lease, type LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import * as z from "zod/mini";
import type { Log } from "../structured-log.ts";
import { GitHostError } from "../copies/host-failure.ts";
import type { ClaimNotes } from "./claim-notes.ts";
import { withDrawnNames } from "./draw-names.ts";
import { discardLeft } from "./discard-left.ts";
import { endsRun } from "./discard-branch.ts";
import { createHandOver, type HandOver } from "./hand-over.ts";
import { createHttpJournal, type HttpJournal, isFenced } from "./http-journal.ts";
import type { Mirror, Mirrors } from "./mirror.ts";
import { asBegunHere } from "./as-begun-here.ts";
import { tellActivity } from "./tell-activity.ts";
import { withServerMerge } from "./request-merge.ts";
import { openRunTree, removeRunTree, RolledBackError, type RunTree, spareRunTree } from "./run-tree.ts";
import type { SpareTrees } from "./spare-trees.ts";
import { agentsFor } from "./worker-agents.ts";
import { findWorkerFault, refuseFaultReport } from "./worker-fault.ts";
import type { WorkerHealth } from "./worker-health.ts";
import type { Seal } from "../../../src/ports/journal.ts";
import { composedTrees } from "../../../src/core/kept-ref.ts";

export type Worker = {
  readonly ask: ServerClient;
  readonly seal: Seal;
  /** Folder for clones and working trees. */
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  /** Agent options, in the form of options of a start command. */
  readonly values: Values;
  /** Aborted to start no further steps. */
  readonly draining: AbortSignal;
  /** Aborted to end agents. */
  readonly stopping: AbortSignal;
  readonly claims: ClaimNotes;
  readonly mirrors: Mirrors;
  readonly spares: SpareTrees;
  readonly health: WorkerHealth;
  readonly log: Log;
  /** Current drives of this process. */
  readonly driving: Map<RunId, CurrentDrive>;
};

export type CurrentDrive = {
  readonly epoch: number;
  readonly journal: HttpJournal;
  /** Error of the git host that the drive waits for, if any. */
  readonly hostError: string | null;
};

/** Without a time limit: otherwise the server would never learn that this live worker stopped driving the run. */
const WHILE_IT_LIVES = Number.POSITIVE_INFINITY;

export type DriveEnd = "rested" | "fenced" | "given back";

/** Drives one run until it waits or ends. All its state is in the journal, which makes restarts the normal path. */
export async function driveLeased(worker: Worker, lease: Lease): Promise<DriveEnd> {
  const { run, epoch } = lease;
  const held: HeldTree = { handOver: null, beforeRecord: null };
  const claims = worker.claims.begin();
  const beforeRecord = async (command: Command): Promise<LeftTree | null> => {
    await refuseFaultReport(command, worker.health);
    claims.note(command);
    return (await held.beforeRecord?.(command)) ?? null;
  };
  const afterRecord = (): void => held.handOver?.confirm();
  const journal = createHttpJournal({ ...worker, run, epoch, beforeRecord, afterRecord });
  worker.driving.set(run, { epoch, journal, hostError: null });
  try {
    if (worker.draining.aborted) return await drained(worker, run, epoch);
    const end = await worker.mirrors.use(lease.remote, (mirror) =>
      driveInTree({ worker, run, lease, journal, mirror, held }),
    );
    if (end === "rested") spareRunTree({ ...worker, run, epoch });
    return end;
  } catch (error) {
    if (!journal.lost.aborted && !isFenced(error)) return await brokenOff(worker, { run, epoch }, error);
    await keepWork(worker, { run, epoch }, held.handOver);
    return await letGo(worker, { run, epoch });
  } finally {
    if (worker.driving.get(run)?.epoch === epoch) worker.driving.delete(run);
    removeRunTree({ ...worker, run, epoch });
    claims.forget();
  }
}

/** The next heartbeat reports it. */
function noteHostWait({ driving, log }: Worker, { run, epoch }: HeldLease, error: string | null): void {
  const now = driving.get(run);
  if (now?.epoch !== epoch || now.hostError === error) return;
  if (error !== null) log.warn({ run, epoch, error }, "the git host does not accept pushes; the drive waits");
  driving.set(run, { ...now, hostError: error });
}

type HeldLease = { readonly run: RunId; readonly epoch: number };

async function brokenOff(worker: Worker, { run, epoch }: HeldLease, error: unknown): Promise<DriveEnd> {
  const named = findWorkerFault(error);
  if (named !== null) worker.health.note(named);
  else if (!(error instanceof GitHostError)) await worker.health.check();
  const fault = worker.health.fault();
  const why = fault !== null ? "worker" : error instanceof GitHostError ? "host" : "broken";
  worker.log.error({ run, epoch, why, error }, "a drive broke off");
  await back(worker, run, { epoch, why, detail: errorMessage(error) });
  return "given back";
}

/** Ends the lease at the server, too. This has no effect if another worker has the run, which is the normal case. */
async function letGo(worker: Worker, { run, epoch }: HeldLease): Promise<DriveEnd> {
  await back(worker, run, { epoch, why: "drains", detail: "the run was taken for the one of another worker" });
  return "fenced";
}

async function drained(worker: Worker, run: RunId, epoch: number): Promise<DriveEnd> {
  await back(worker, run, { epoch, why: "drains", detail: "the worker is stopping" });
  return "given back";
}

/** Saves unpushed work of the run's agents after the run was taken away. It is not lost, but does not count. */
async function keepWork(worker: Worker, { run, epoch }: HeldLease, handOver: HandOver | null): Promise<void> {
  try {
    const body = await handOver?.keep(epoch);
    if (body === undefined || body === null) return;
    const path = `/api/worker/runs/${run}/kept`;
    await worker.ask({ method: "POST", path, body, answer: z.object({}), patience: 60_000 });
    worker.log.warn({ run, epoch, ref: keptRef(run, epoch) }, "fenced off; unpushed work is saved");
  } catch (error) {
    worker.log.error({ run, epoch, error }, "fenced off; could not save unpushed work");
  }
}

export type DriveContext = {
  readonly worker: Worker;
  readonly run: RunId;
  readonly lease: Lease;
  readonly journal: HttpJournal;
  readonly mirror: Mirror;
  readonly held: HeldTree;
};

/** Hand-over functions, set once there is a working tree. */
type HeldTree = {
  handOver: HandOver | null;
  beforeRecord: ((command: Command) => Promise<LeftTree | null>) | null;
};

async function driveInTree(driving: DriveContext): Promise<DriveEnd> {
  const { worker, run, lease, journal, mirror, held } = driving;
  await mirror.fetch(run);
  const before = await journal.load(run);
  if (before.state.is === "ended") return "rested";
  const tree = await prepareTree(driving, before.state);
  if (tree === null) return "rested";
  const project = projectWith(tree.root, worker.env, journal);
  if (before.state.is === "none" && !(await begin(driving, project))) return "given back";
  const { state } = await journal.load(run);
  if (state.is !== "active") return "rested";
  project.projections.setUp();
  // The run keeps the supervision from its start: a new working tree must not relax it.
  if (state.supervision.enabled) switchOn(project.projections, state.supervision.phases);
  const agents = await agentsFor(worker, project, state);
  const inTree = project.engine(asBegunHere(worker, project, { run: state, agents }), {
    agents,
    progress: noProgress,
    warn: (warning) => worker.log.warn({ run }, warning),
  });
  const branch = state.run.git?.branch ?? null;
  const stopping = AbortSignal.any([journal.lost, worker.stopping]);
  const handOver = createHandOver({
    mirror,
    tree,
    run,
    item: state.run.item,
    branch,
    workspace: inTree.workspace,
    wait: { signal: stopping, note: (error) => noteHostWait(worker, { run, epoch: lease.epoch }, error) },
  });
  held.handOver = handOver;
  const teller = tellActivity(project, { ask: worker.ask, run, epoch: lease.epoch });
  held.beforeRecord = async (command) => {
    await teller.catchUp(); // a decision that makes the run wait also ends this worker's lease
    const left = await handOver.push(composedTrees(command));
    if (endsRun(command)) await discardLeft(driving, tree.root, inTree.vcs);
    return left;
  };
  const engine = withServerMerge(inTree, { ask: worker.ask, run, epoch: lease.epoch, journal, before: teller.catchUp });
  const driven = drive(engine, stopping, worker.draining);
  await driven.then(teller.end, teller.end);
  const resting = await driven;
  if (journal.lost.aborted) throw new Error("fenced off");
  return resting.next.is === "action" ? drained(worker, run, lease.epoch) : "rested";
}

/** Returns null if the journal was rolled back, after reporting a failed step to ask a user. */
async function prepareTree(
  { worker, run, lease, mirror, journal }: DriveContext,
  state: RunState,
): Promise<RunTree | null> {
  const { data, env, spares } = worker;
  const recorded = state.is === "active" ? state.run.git : null;
  const base = recorded?.base ?? (await mirror.mainBranch());
  const baseTip = recorded === null ? mirror.tip(base) : (recorded.baseTip ?? recorded.commit);
  if (baseTip === null) throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: `the remote has no branch ${base}` });
  const author = `isdlc for ${lease.begunBy}`;
  const standing = { base, baseTip, left: lease.left };
  try {
    const { epoch } = lease;
    return await openRunTree(mirror, { data, env, spares, run, epoch, author, standing, knows: journal.knows });
  } catch (error) {
    const now = next(state);
    if (!(error instanceof RolledBackError) || now.is !== "action") throw error;
    const outcome = { of: now.step, failed: "journal_rolled_back", detail: error.message } as const;
    await journal.submit(run, { do: "report", ticket: now.ticket, outcome });
    return null;
  }
}

/** Plans and starts a requested run in this worker's working tree. Returns false if that is impossible. */
async function begin({ worker, run, lease }: DriveContext, project: PlacedProject): Promise<boolean> {
  const { start } = lease;
  const refuse = async (detail: string, choices: readonly Choice[] = []): Promise<false> => {
    const told = choices.length === 0 ? {} : { choices: toldChoices(choices) };
    await back(worker, run, {
      epoch: lease.epoch,
      why: "refused",
      detail: detail.slice(0, MAX_FAULT_MESSAGE_LENGTH),
      ...told,
    });
    return false;
  };
  const by = { name: lease.begunBy, channel: "token" } as const;
  const own = withDrawnNames(project, { ask: worker.ask, run, epoch: lease.epoch });
  const values = { ...worker.values, ...toValues(start) };
  try {
    const planned = await planRun(
      own,
      runRequest({ values, verb: DO }, { workflow: start.workflow, title: start.title, by }),
    );
    if (!planned.ok)
      return await refuse(planned.choices.map(({ about }) => about.join(" ")).join(" "), planned.choices);
    await openRun(planned.plan);
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code.startsWith("SERVER_")) throw error;
    if (findWorkerFault(error) !== null) throw error; // another worker can begin the run
    return refuse(errorMessage(error));
  }
}

const DO: Verb = findVerb("feature") ?? { name: "feature", kind: "begin", summary: "", usage: "", options: {} };

function toValues({ isSupervised, mode, choices }: Lease["start"]): Values {
  const chosen = choices.map(({ flag, option }) => [flag.slice(2), VALUED.has(flag) ? option : true] as const);
  return { supervised: isSupervised, ...(mode === undefined ? {} : { mode }), ...Object.fromEntries(chosen) };
}

const VALUED: ReadonlySet<string> = new Set(["--on-stale", "--on-partial", "--tests", "--hooks"]);

const back = async ({ ask }: Worker, run: RunId, body: GivenBack): Promise<void> => {
  const path = `/api/worker/runs/${run}/give-back`;
  await ask({ method: "POST", path, body, answer: z.object({}), patience: WHILE_IT_LIVES });
};

function errorMessage(error: unknown): string {
  if (error instanceof ProblemError) {
    const { what, fix } = describe(error.problem);
    return `${what} ${fix}`.slice(0, MAX_FAULT_MESSAGE_LENGTH);
  }
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_FAULT_MESSAGE_LENGTH);
}

/** Maximum length of a reason at the server, in characters. */
const MAX_FAULT_MESSAGE_LENGTH = 2000;
