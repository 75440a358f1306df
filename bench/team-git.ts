import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Settings } from "./benches.ts";
import { toEnd } from "./ending.ts";
import { newRepository } from "./git-place.ts";
import type { ReportLine } from "./report.ts";
import { drivenToEnd, newTimes, PHASES } from "./team-load.ts";
import type { TeamPlace } from "./team-place.ts";

const WORKERS = 4;
/** Rate of the prototype on a similar machine. The requirement is twice as high. */
const GOAL = 3.4; // phases per second

/** Measures real workers in their own processes, with clones, commits and pushes to a remote in the file system. */
export async function measureGitWorkers(settings: Settings, place: TeamPlace): Promise<readonly ReportLine[]> {
  const { quick, scratch, root } = settings;
  const { tree, env } = newRepository(scratch, "team-git", 200);
  const remote = join(scratch, "team-remote.git");
  execFileSync("git", ["clone", "--quiet", "--bare", tree, remote], { env });
  await place.pool.query("update isdlc.repository set remote = $1 where name = 'bench'", [remote]);
  const program = settings.program();
  const modules = join(dirname(dirname(dirname(program))), "node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(join(root, "team"), join(modules, "isdlc-team"));
  const agent = [process.execPath, join(root, "bench", "instant-agent.mjs"), join(scratch, "team.jsonl")];
  const command = agent.map((part) => `"${part}"`).join(" ");
  const ends: (() => Promise<void>)[] = [];
  try {
    for (let number = 1; number <= WORKERS; number++) {
      const { token } = await place.worker(`git${number}`);
      const secrets = { ISDLC_WORKER_TOKEN: token, ISDLC_DATABASE_URL: place.database, ISDLC_SANDBOX: "off" };
      const options = ["--server", place.url, "--data", join(scratch, "workers"), "--agent-command", command];
      const worker = spawn(process.execPath, [program, "worker", ...options], {
        cwd: tree,
        env: { ...env, ...secrets },
        stdio: ["ignore", "pipe", "ignore"],
      });
      ends.push(toEnd(() => void worker.kill("SIGKILL")));
      await takesWork(worker);
    }
    const count = quick ? 8 : 40;
    const { perSecond, connections } = await drivenToEnd(place, count, newTimes());
    return [
      {
        what: `seconds per phase with git and pushes (${count} runs x ${PHASES} gated phases, ${WORKERS} workers)`,
        base: `${perSecond.toFixed(2)} phases/s, ${connections} connections`,
        figures: [{ name: "", value: 1 / perSecond }],
        goal: Number((1 / GOAL).toFixed(2)),
        unit: " s",
      },
    ];
  } finally {
    for (const end of ends) await end();
  }
}

const takesWork = (worker: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    worker.stdout?.on("data", (chunk: Buffer) => void (chunk.toString("utf8").includes("takes work") && resolve()));
    worker.once("exit", (code) => reject(new Error(`a worker ended with ${code}`)));
  });
