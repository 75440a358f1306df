import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";

/** Simulates a container that shares the folder and the machine's name but has other process ids. */
const NEW_PID_NAMESPACE = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const AS_ORDINARY_USER = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];

function countAgents({ base }: Sandbox): number {
  const commands = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readCommandLine(pid));
  return commands.filter(
    (command) => command.includes("by-plan.mjs") && command.includes(base) && !command.includes("isdlc.cjs"),
  ).length;
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has already exited
  }
}

const startedIn = async (sandbox: Sandbox): Promise<number> =>
  (await sandbox.events()).filter(({ type }) => type === "execution.started").length;

test.skipIf(process.platform !== "linux")(
  "watches a run in another container and takes over after its processes exit",
  async () => {
    const sandbox = await createSandbox();
    sandbox.plan({ turns: { plan: [{ hangs: true }] } });
    const begin = [process.execPath, await builtProgram(), "add a greeting", "--supervised", ...sandbox.agent];
    const inside = spawn("unshare", [...AS_ORDINARY_USER, ...NEW_PID_NAMESPACE, ...begin], {
      cwd: sandbox.root,
      env: sandbox.env,
      stdio: "ignore",
    });
    await expect.poll(() => sandbox.log().length).toBe(1);
    const watching = sandbox.start(["resume"]);
    let said = "";
    for (const stream of [watching.child.stdout, watching.child.stderr])
      stream?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    await expect.poll(() => said).toContain("process");
    expect([await startedIn(sandbox), countAgents(sandbox)]).toEqual([1, 1]);
    watching.child.kill();
    await watching.ended;
    const ended = once(inside, "exit");
    inside.kill("SIGKILL");
    await ended;
    await expect.poll(() => countAgents(sandbox)).toBe(0);
    for (const name of readdirSync(join(sandbox.root, ".isdlc")).filter((file) => /^(?:lock|driver)/.test(file)))
      rmSync(join(sandbox.root, ".isdlc", name));
    sandbox.plan({});
    await sandbox.script("resume");
    expect(await startedIn(sandbox)).toBeGreaterThan(1);
    expect(await sandbox.status()).toMatchObject({ current: "plan", waiting: { kind: "gate" } });
  },
);
