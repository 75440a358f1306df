import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";

const processes = systemLockProcesses();

/** Clock ticks since boot, as the system tells them. */
const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? "";

describe("whether the holder of a lock is alive", () => {
  test("we are", () => {
    expect(processes.isAlive(processes.self())).toBe(true);
  });

  test("the same number with another start or another boot is someone else", () => {
    expect(processes.isAlive({ ...processes.self(), started: "1" })).toBe(false);
    expect(processes.isAlive({ ...processes.self(), boot: "another" })).toBe(false);
  });

  test("an ended process is not", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const driver = { pid, started: startOf(pid), boot: processes.self().boot };
    expect(processes.isAlive(driver)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(processes.isAlive(driver)).toBe(false);
  });
});
