import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import { startProcess } from "./storm/storm-place.ts";
import { parsed } from "../../support/cli.ts";
import { canMountDisks, mountWorkerDisks, type WorkerDisks } from "./storm/worker-disks.ts";
import { createReceiver, type Receiver } from "./support/receiver.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, said, type StartedProgram, type Team } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilEnded, untilRests } from "./support/team-runs.ts";

const MADE = { writes: { "src/made.js": "export const made = 1;\n" }, delay: 1500 };

describe.runIf(hasPostgres)("a worker with a fault of its machine", () => {
  let team: Team;
  let receiver: Receiver;
  let server: StartedProgram & { readonly url: string };
  let metricsUrl: string;
  beforeAll(async () => {
    receiver = await createReceiver();
    team = await createTeam({ serving: ["--notify-hosts", "127.0.0.1"] });
    server = await team.server("--metrics", "0");
    metricsUrl = (await said(server, /Metrics at (\S+)/))[1] ?? "";
    const change = { channel: "webhook", address: `${receiver.url}/ada`, occasions: ["worker"] };
    expect((await team.ask(team.adas, "/api/notifications", change)).status).toBe(200);
  });

  const faults = async (worker: string): Promise<string> =>
    new RegExp(`^isdlc_worker_faults\\{worker="${worker}"\\} (\\d)$`, "m").exec(
      await (await fetch(metricsUrl)).text(),
    )?.[1] ?? "none";
  const untilFaulty = (worker: string, fault: RegExp): Promise<void> =>
    vi.waitFor(async () => {
      const { rows } = await team.database.pool.query("select trouble from isdlc.worker where id = $1", [worker]);
      expect(rows).toEqual([{ trouble: expect.stringMatching(fault) }]);
    }, PATIENCE);
  /** Doctor, metrics and a notification name the fault. */
  async function expectReported(worker: string, fault: RegExp): Promise<void> {
    await untilFaulty(worker, fault);
    const doctor = team.ada.start(["server", "doctor", "--json"], { ISDLC_DATABASE_URL: team.database.url });
    const { findings } = parsed(await doctor.ended);
    const found = findings.find(({ what }: { what: string }) => what === "workers");
    expect(found).toMatchObject({ isFine: false, detail: expect.stringContaining(`${worker} takes no runs since`) });
    expect(found.detail).toMatch(fault);
    expect(await faults(worker)).toBe("1");
    await vi.waitFor(() => {
      const texts = receiver.at("/ada").map(({ body }) => body.text as string);
      expect(texts).toContainEqual(expect.stringContaining(`The worker ${worker} takes no runs since`));
    }, PATIENCE);
  }
  const untilRecovered = (worker: string): Promise<void> =>
    vi.waitFor(async () => expect(await faults(worker)).toBe("0"), PATIENCE);
  const escalations = async (run: string): Promise<number> =>
    (await look(team, run)).events.filter(({ type }) => type === "step.escalated").length;

  async function startWorker(name: string, agent: readonly string[], enter: readonly string[] = []) {
    const given = { ISDLC_WORKER_TOKEN: await team.token("worker", name) };
    const place = ["--data", join(team.ada.base, "workers"), "--beat", "0.5"];
    const argv = [...enter, process.execPath, await builtProgram(), "worker", "--server", team.url, ...place, ...agent];
    const worker = startProcess(argv, { cwd: team.ada.root, env: { ...team.ada.env, ...given } });
    await said(worker, /takes work/);
    return worker;
  }

  test("takes no runs while its agent is missing, says so, and recovers by itself", async () => {
    team.ada.plan({ turns: { implement: [MADE] } });
    const programs = join(team.ada.base, "programs");
    mkdirSync(programs);
    const program = join(programs, "agent-node");
    const [option = "", command = ""] = team.ada.agent;
    const worker = await startWorker("w1", [option, command.replace(process.execPath, program)]);
    await expectReported("w1", /agent-node/);
    const run = await beginRun(team);
    symlinkSync(process.execPath, program);
    await untilRecovered("w1");
    expect(await untilRests(team, run)).toBe("wait");
    rmSync(program);
    await answerOpen(team, run);
    await untilFaulty("w1", /agent-node/);
    await vi.waitFor(
      async () => expect(await team.row(run)).toMatchObject({ rests: "action", worker: null }),
      PATIENCE,
    );
    symlinkSync(process.execPath, program);
    await untilEnded(team, run);
    expect(await escalations(run)).toBe(0);
    expect(await findProblems(team, run)).toEqual([]);
    worker.child.kill("SIGTERM");
    await worker.ended;
  });

  test.runIf(canMountDisks())("takes no runs while its disk is full, says so, and recovers by itself", async () => {
    const disks: WorkerDisks = await mountWorkerDisks(join(team.ada.base, "workers"), ["w2"]);
    team.ada.plan({ turns: { implement: [MADE] } });
    const worker = await startWorker("w2", team.ada.agent, disks.enter);
    const run = await beginRun(team);
    expect(await untilRests(team, run)).toBe("wait");
    const worked = (): number => team.ada.log().filter(({ key }) => key === "implement").length;
    const before = worked();
    await answerOpen(team, run);
    await vi.waitFor(() => expect(worked()).toBe(before + 1), PATIENCE);
    disks.fill("w2");
    await expectReported("w2", /ENOSPC|No space left/i);
    disks.empty("w2");
    await untilRecovered("w2");
    await untilEnded(team, run);
    expect(await escalations(run)).toBe(0);
    expect(await findProblems(team, run)).toEqual([]);
    expect(readdirSync(disks.outside(join(team.ada.base, "workers", "w2")))).not.toContain("probe");
    worker.child.kill("SIGTERM");
    await worker.ended;
  });
});
