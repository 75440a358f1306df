import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";

const processes = systemLockProcesses();

/** Start time in clock ticks since boot, as reported by the system. */
const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? "";

describe("isAlive", () => {
  test("returns true for this process", () => {
    expect(processes.isAlive(processes.self())).toBe(true);
  });

  test("returns false for this id with a different start or boot", () => {
    expect(processes.isAlive({ ...processes.self(), started: "1" })).toBe(false);
    expect(processes.isAlive({ ...processes.self(), boot: "another" })).toBe(false);
  });

  test("returns false for an exited process", async () => {
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
