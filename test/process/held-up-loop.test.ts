import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readStat } from "../../src/adapters/process/process-table.ts";
import { startAgentProcess } from "../../src/adapters/process/start-agent-process.ts";

const LONGER_THAN_DRAINING = 1500; // Milliseconds.

/** Blocks everything else in this process. */
const holdUp = (milliseconds: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

function holdUpUntilEnded(pid: number): void {
  while (readStat(pid)?.isDead === false) holdUp(5);
}

test.skipIf(process.platform !== "linux")(
  "reads the last output of a program despite a blocked event loop",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "isdlc-held-up-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const signal = join(folder, "signal");
    const lines: string[] = [];
    let pid = 0;
    const end = startAgentProcess(
      {
        argv: ["/bin/sh", "-c", `until test -e "${signal}"; do sleep 0.01; done; echo "last words"`],
        cwd: folder,
        nonce: "held-up",
        env: { PATH: process.env["PATH"] },
        stdin: "",
        silenceSeconds: 30,
        onStarted: (started) => (pid = started),
        onLine: ({ text }) => lines.push(text),
      },
      new AbortController().signal,
    );
    // The end of this process makes Node check all ended ones before it reads their output.
    const other = spawn("/bin/sh", ["-c", "echo now"], { stdio: ["ignore", "pipe", "ignore"] });
    other.stdout.once("data", () => {
      writeFileSync(signal, "");
      holdUpUntilEnded(pid);
    });
    other.once("exit", () => holdUp(LONGER_THAN_DRAINING));
    holdUpUntilEnded(other.pid ?? 0);
    expect(await end).toMatchObject({ ended: "exit", exitCode: 0 });
    expect(lines).toEqual(["last words"]);
  },
);
