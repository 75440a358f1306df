import { setTimeout as delay } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { OwnTeam } from "./own-team.ts";
import type { StartedProgram } from "./team.ts";
import { PATIENCE } from "./team-runs.ts";

export type FaultKind = "kill" | "sleep" | "restart";

export type WorkerFaults = {
  /** Faults that hit a running worker or the database. Others are not counted. */
  readonly inflicted: Readonly<Record<FaultKind, number>>;
  /** Inflicts this many faults, each after some new decisions, and waits until all workers run again. */
  inflict(count: number): Promise<void>;
  /** Output of all workers, including ended ones. */
  said(): string;
  /** Stops all workers and waits for their end. */
  stop(): Promise<void>;
};

export type Struck = {
  readonly own: OwnTeam;
  /** Address at which workers reach the server. */
  readonly url: string;
  readonly workers: readonly string[];
};

const ORDER: readonly FaultKind[] = ["kill", "sleep", "kill", "restart"];
const SIGNALS = { kill: "SIGKILL", sleep: "SIGSTOP" } as const;
const MAX_PAUSE_MS = 1000; // milliseconds
/** With fewer decisions in between, hardly any run would get beyond its first phase. */
const DECISIONS_BETWEEN = 2;

/** A lease: the run, its holder and its fencing number. */
type WorkerLease = { readonly run: string; readonly worker: string; readonly epoch: number };

/** Starts workers, kills and stops them during work, and stops the database. */
export async function createWorkerFaults({ own, url, workers }: Struck): Promise<WorkerFaults> {
  const { team, stopDatabase, startDatabase } = own;
  const leases = leasesIn(own);
  const inflicted = { kill: 0, sleep: 0, restart: 0 };
  const up = new Map<string, StartedProgram>();
  const started: StartedProgram[] = [];
  const start = async (name: string): Promise<void> => {
    const worker = await vi.waitFor(() => team.workerAt(url, name), PATIENCE); // the database may be unavailable
    started.push(worker);
    up.set(name, worker);
  };
  for (const name of workers) await start(name);

  /**
   * Waits for the lease to expire, because a suspended worker loses nothing before that. Every other killed worker is
   * replaced at once.
   */
  async function recover(kind: "kill" | "sleep", held: WorkerLease, worker: StartedProgram): Promise<void> {
    if (kind === "sleep" || inflicted.kill % 2 === 0) await leases.untilFreed(held);
    if (kind === "kill") return start(held.worker);
    worker.child.kill("SIGCONT");
    up.set(held.worker, worker);
  }

  /** Returns how the worker recovers, or null if its run stopped before the fault. */
  async function strike(kind: "kill" | "sleep"): Promise<{ readonly recovered: Promise<void> } | null> {
    const held = await leases.untilHeld(up);
    const worker = up.get(held.worker)!;
    up.delete(held.worker);
    worker.child.kill(SIGNALS[kind]);
    const isHit = await leases.isHeld(held);
    if (isHit) inflicted[kind]++;
    const recovered = recover(kind, held, worker);
    if (isHit) return { recovered };
    await recovered;
    return null;
  }

  return {
    inflicted,
    async inflict(count) {
      const recovering: Promise<void>[] = [];
      const failures: unknown[] = [];
      for (let number = 0; number < count; number++) {
        await leases.untilRecorded();
        await delay(Math.random() * MAX_PAUSE_MS);
        const kind = ORDER[number % ORDER.length]!;
        if (kind === "restart") {
          await stopDatabase();
          await startDatabase();
          inflicted.restart++;
          continue;
        }
        let struck = await strike(kind);
        while (struck === null) struck = await strike(kind);
        recovering.push(struck.recovered.catch((error: unknown) => void failures.push(error)));
        if (failures.length > 0) throw failures[0];
      }
      await Promise.all(recovering);
      if (failures.length > 0) throw failures[0];
    },
    said: () => started.map(({ said }) => said()).join(""),
    async stop() {
      for (const { child } of up.values()) child.kill("SIGTERM");
      await Promise.all(started.map(({ ended }) => ended));
    },
  };
}

/** Leases according to the database, with retries while it is unavailable. */
function leasesIn({ team }: OwnTeam) {
  const query = <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    vi.waitFor(async () => (await team.database.pool.query<Row>(text, [...values])).rows, PATIENCE);
  const isHeld = async ({ run, worker, epoch }: WorkerLease): Promise<boolean> => {
    const values = [run, worker, epoch];
    return (await query("select 1 from isdlc.run where run = $1 and worker = $2 and epoch = $3", values)).length > 0;
  };
  let recorded = 0;
  return {
    isHeld,
    untilFreed: (held: WorkerLease): Promise<void> =>
      vi.waitFor(async () => expect(await isHeld(held), `${held.worker} holds ${held.run}`).toBe(false), PATIENCE),
    /** Resolves with any worker that drives a run. */
    untilHeld: (workers: ReadonlyMap<string, unknown>): Promise<WorkerLease> =>
      vi.waitFor(async () => {
        const values = [[...workers.keys()]];
        const [held] = await query<WorkerLease>(
          `select run, worker, epoch from isdlc.run
           where rests = 'action' and worker = any($1) order by random() limit 1`,
          values,
        );
        return held ?? expect.fail(`none of ${values.join()} is at work`);
      }, PATIENCE),
    /** Waits for more decisions since the last call. */
    untilRecorded: (): Promise<void> =>
      vi.waitFor(async () => {
        const [row] = await query<{ count: number }>("select count(*)::int as count from isdlc.decision", []);
        expect(row?.count).toBeGreaterThanOrEqual(recorded + DECISIONS_BETWEEN);
        recorded = row?.count ?? recorded;
      }, PATIENCE),
  };
}
