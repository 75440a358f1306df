import { setTimeout as delay } from "node:timers/promises";
import { expect, vi } from "vitest";
import { createDraws, type Draws } from "../../../support/draws.ts";
import { type HeldLease, listLeases, type TakeoverWatch } from "./leases.ts";
import { setClock, type StormPlace, type StormRepository, type StormWorker } from "./storm-place.ts";

/** Faults of single processes, inflicted one after the other. */
export const PROCESS_FAULTS = ["kill", "sleep", "serverKill", "diskFull", "clock", "cutReply", "doubledReply"] as const;
/** Outages, concurrent with them. */
export const OUTAGES = ["database", "unreachable", "readOnly"] as const;
export type ProcessFault = (typeof PROCESS_FAULTS)[number];
export type Fault = ProcessFault | (typeof OUTAGES)[number];

/** Number of faults of each kind. */
export type FaultCounts = Readonly<Record<Fault, number>>;

export type FaultPlan = {
  readonly seed: number;
  readonly counts: FaultCounts;
  readonly databaseAwayMs: number;
  readonly hostAwayMs: number;
  /** Milliseconds between two outages of one host, or of the database. */
  readonly betweenOutagesMs: number;
  readonly pace: FaultPace;
  readonly patience: { readonly timeout: number; readonly interval: number };
};

/** Pauses between two faults of processes. */
export type FaultPace = {
  readonly decisions: number;
  /** Milliseconds to wait for these decisions. */
  readonly maxWaitMs: number;
  readonly maxPauseMs: number;
};

export type FaultReport = {
  /** Faults that hit a process that held a lease. Others are not counted, and are repeated. */
  readonly hits: Record<Fault, number>;
  /** Workers that reported a full disk. */
  readonly seen: { fullDisks: number };
};

type Striking = {
  readonly place: StormPlace;
  readonly plan: FaultPlan;
  readonly draws: Draws;
  readonly watch: TakeoverWatch;
  readonly inflicted: FaultReport;
  /** Recoveries that continue while the next faults are inflicted. */
  readonly recovering: Promise<void>[];
};

const LONGEST_SHIFT_HOURS = 12;
const DISK_FULL_MS = 6000;
const TELL_EVERY_MS = 60_000;

/** Inflicts all planned faults, and waits until everything has recovered. */
export async function inflictFaults(place: StormPlace, plan: FaultPlan, watch: TakeoverWatch): Promise<FaultReport> {
  const draws = createDraws(plan.seed);
  const hits = Object.fromEntries([...PROCESS_FAULTS, ...OUTAGES].map((fault) => [fault, 0])) as FaultReport["hits"]; // every fault has a key
  const inflicted = { hits, seen: { fullDisks: 0 } };
  const recovering: Promise<void>[] = [];
  const telling = setInterval(
    () => console.log(JSON.stringify({ ...hits, takeovers: watch.took.length })),
    TELL_EVERY_MS,
  );
  const part = (name: string): Striking => ({ place, plan, watch, inflicted, recovering, draws: draws.fork(name) });
  await Promise.all([
    strikeProcesses(part("processes")),
    stopDatabase(part("database")),
    ...place.repositories.map((repository, at) => failHost(part(repository.name), repository, at)),
  ]);
  await Promise.all(recovering);
  clearInterval(telling);
  return inflicted;
}

const STRIKES: Readonly<Record<ProcessFault, (striking: Striking) => Promise<boolean>>> = {
  kill: strikeWorker("kill"),
  sleep: strikeWorker("sleep"),
  serverKill: killServer,
  diskFull: fillDisk,
  clock: shiftClock,
  cutReply: disturbReply("cut"),
  doubledReply: disturbReply("doubled"),
};

async function strikeProcesses(striking: Striking): Promise<void> {
  const { place, plan, draws, inflicted } = striking;
  const planned = PROCESS_FAULTS.flatMap((fault) => Array.from({ length: plan.counts[fault] }, () => fault));
  for (const fault of draws.shuffle(planned)) {
    await untilProgress(place, plan.pace);
    await delay(draws.below(plan.pace.maxPauseMs));
    while (!(await STRIKES[fault](striking))); // the run may have come to rest just before
    inflicted.hits[fault]++;
  }
}

/** Waits until some decisions are recorded, but not for the end of an outage: otherwise runs hardly progress. */
async function untilProgress({ team: { database } }: StormPlace, { decisions, maxWaitMs }: FaultPace): Promise<void> {
  const count = async (): Promise<number> =>
    (await database.pool.query<{ count: number }>("select count(*)::int as count from isdlc.decision")).rows[0]
      ?.count ?? 0;
  const before = await count().catch(() => 0);
  const poll = { timeout: maxWaitMs, interval: 250 };
  await vi
    .waitFor(async () => expect(await count()).toBeGreaterThanOrEqual(before + decisions), poll)
    .catch(() => undefined);
}

type Victim = { readonly worker: StormWorker; readonly leases: readonly HeldLease[] };

/** Waits for a worker at work, and picks one of them. */
const pickVictim = ({ place, draws, plan }: Striking): Promise<Victim> =>
  vi.waitFor(async () => {
    const leases = await listLeases(place.team.database.pool);
    const able = place.workers.filter(({ isUp, server }) => isUp && server.isUp);
    const worker = draws.pick(able.filter(({ name }) => leases.some((lease) => lease.worker === name)));
    return { worker, leases: leases.filter((lease) => lease.worker === worker.name) };
  }, plan.patience);

/** The leases of the victim that it still held when the fault had its effect. */
const stillHeld = async ({ place, plan }: Striking, { leases }: Victim): Promise<readonly HeldLease[]> => {
  const now = await vi.waitFor(() => listLeases(place.team.database.pool), plan.patience);
  return leases.filter(({ run, epoch }) => now.some((lease) => lease.run === run && lease.epoch === epoch));
};

/** The lease of a stopped worker expires before it continues; every other killed worker is replaced at once. */
function strikeWorker(how: "kill" | "sleep") {
  return async (striking: Striking): Promise<boolean> => {
    const { place, plan, draws, watch, recovering } = striking;
    const victim = await pickVictim(striking);
    const { worker } = victim;
    const process = worker.started?.child;
    worker.isUp = false;
    process?.kill(how === "kill" ? "SIGKILL" : "SIGSTOP");
    const lost = await stillHeld(striking, victim);
    watch.begin(lost);
    const isReplacedAtOnce = how === "kill" && draws.below(2) === 0;
    const recover = async (): Promise<void> => {
      if (!isReplacedAtOnce)
        await vi.waitFor(async () => {
          if ((await stillHeld(striking, { worker, leases: lost })).length > 0) throw new Error("the lease holds");
        }, plan.patience);
      if (how === "kill") return place.startWorker(worker);
      process?.kill("SIGCONT");
      worker.isUp = true;
    };
    recovering.push(recover());
    return lost.length > 0;
  };
}

async function killServer(striking: Striking): Promise<boolean> {
  const { place, draws, recovering } = striking;
  const victim = await pickVictim(striking);
  const { server } = victim.worker;
  server.isUp = false;
  server.started.child.kill("SIGKILL");
  place.killedServers.push(server.started.child.pid ?? 0);
  const lost = await stillHeld(striking, victim);
  const pause = draws.below(2000);
  const recover = async (): Promise<void> => {
    await delay(pause);
    await vi.waitFor(() => place.startServer(server), striking.plan.patience); // the database may be unavailable
  };
  recovering.push(recover());
  return lost.length > 0;
}

/** The worker must notice a full disk, give its runs back, and take runs again once there is room. */
async function fillDisk(striking: Striking): Promise<boolean> {
  const { place, inflicted, recovering, plan } = striking;
  const { disks } = place;
  if (disks === null) throw new Error("this system forbids mounts for workers");
  const victim = await pickVictim(striking);
  const { worker } = victim;
  worker.isUp = false;
  disks.fill(worker.name);
  const lost = await stillHeld(striking, victim);
  const recover = async (): Promise<void> => {
    await delay(DISK_FULL_MS);
    const query = "select count(trouble)::int as full from isdlc.worker where id = $1";
    const count = async (): Promise<number> =>
      (await place.team.database.pool.query<{ full: number }>(query, [worker.name])).rows[0]?.full ?? 0;
    if ((await vi.waitFor(count, plan.patience)) > 0) inflicted.seen.fullDisks++;
    disks.empty(worker.name);
    await vi.waitFor(async () => {
      if ((await count()) > 0) throw new Error(`${worker.name} still takes no runs`);
    }, plan.patience);
    worker.isUp = true;
  };
  recovering.push(recover());
  return lost.length > 0;
}

/** Shifts the clock of a worker at work, and of its server in one of three cases, until the next shift. */
async function shiftClock(striking: Striking): Promise<boolean> {
  const { draws } = striking;
  const victim = await pickVictim(striking);
  const drawHours = (): number => draws.between(1, LONGEST_SHIFT_HOURS) * draws.pick([1, -1]);
  setClock(victim.worker, drawHours());
  if (draws.below(3) === 0) setClock(victim.worker.server, drawHours());
  return (await stillHeld(striking, victim)).length > 0;
}

function disturbReply(how: "cut" | "doubled") {
  return async (striking: Striking): Promise<boolean> => {
    const victim = await pickVictim(striking);
    const disturbed = victim.worker.proxy.disturb(how);
    const isHit = (await stillHeld(striking, victim)).length > 0;
    await Promise.race([disturbed, delay(5000)]); // the worker may be away meanwhile
    return isHit;
  };
}

/** Waits until a worker holds a lease of the repository, or of any. */
const untilHeld = ({ place, plan }: Striking, repository: string | null): Promise<void> =>
  vi.waitFor(async () => {
    const leases = await listLeases(place.team.database.pool);
    if (!leases.some((lease) => repository === null || lease.repository === repository)) throw new Error("no lease");
  }, plan.patience);

async function stopDatabase(striking: Striking): Promise<void> {
  const { place, plan, inflicted, draws } = striking;
  for (let number = 0; number < plan.counts.database; number++) {
    await delay(draws.below(plan.betweenOutagesMs));
    await untilHeld(striking, null);
    place.isDatabaseUp = false;
    await place.own.stopDatabase();
    await delay(plan.databaseAwayMs);
    await place.own.startDatabase();
    place.isDatabaseUp = true;
    inflicted.hits.database++;
  }
}

/** Every second outage of one kind is of this host. */
async function failHost(striking: Striking, repository: StormRepository, at: number): Promise<void> {
  const { place, plan, inflicted, draws } = striking;
  const { host } = repository;
  const planned = (["unreachable", "readOnly"] as const).flatMap((fault) =>
    Array.from({ length: plan.counts[fault] }, (_, number) => ({ fault, number })),
  );
  const own = planned.filter(
    ({ fault, number }) => (number + (fault === "readOnly" ? 1 : 0)) % place.repositories.length === at,
  );
  for (const { fault } of draws.shuffle(own)) {
    await delay(plan.betweenOutagesMs / 2 + draws.below(plan.betweenOutagesMs));
    await untilHeld(striking, repository.name);
    repository.isUp = false;
    if (fault === "unreachable") host.cut();
    else host.setReadOnly(true);
    await delay(plan.hostAwayMs);
    host.restore();
    host.setReadOnly(false);
    repository.isUp = true;
    inflicted.hits[fault]++;
  }
}
